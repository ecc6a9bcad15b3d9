"""Chooses which weights are zeros."""
