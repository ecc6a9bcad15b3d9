"""Warnings that a process gives once, and where warnings are said to be."""

import os
import sys
import warnings

_given = set()
_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep


def warn_once(text, category=UserWarning, stacklevel=2):
    """Gives a warning unless it was given before. ``stacklevel`` counts as ``warnings.warn`` does, from the caller on; None is the
    innermost line that is not this package's."""
    if text not in _given:
        _given.add(text)
        warnings.warn(text, category, stacklevel=outside() if stacklevel is None else stacklevel + 1)


def outside():
    """The ``stacklevel`` of the innermost line that is not this package's, counted from the caller."""
    frame, stacklevel = sys._getframe(1), 1
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
        stacklevel += 1
    return stacklevel
