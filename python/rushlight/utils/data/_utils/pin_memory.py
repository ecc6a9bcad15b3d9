"""Pinned memory, which only devices need: there is none here."""


def pin_memory(data, device=None):
    """The data as they are."""
    return data
