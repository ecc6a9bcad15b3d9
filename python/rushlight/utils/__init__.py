"""Small helpers that programs import."""
