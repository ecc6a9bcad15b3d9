"""Warnings that a process gives once."""

import warnings

_given = set()


def warn_once(text, category=UserWarning, stacklevel=2):
    """Gives a warning unless it was given before. ``stacklevel`` counts as ``warnings.warn`` does, from the caller on."""
    if text not in _given:
        _given.add(text)
        warnings.warn(text, category, stacklevel=stacklevel + 1)
