"""``torch.compiler``: questions about a compiler that is never at work here, and marks for it that change nothing."""

import rushlight as torch

from ._library import publish
from ._stances import _State, list_backends, set_stance  # noqa: F401

_state = _State()


def is_compiling() -> bool:
    """Whether what runs is recorded for a backend of ``torch.compile``."""
    if torch.jit.is_scripting():
        return False
    return _state.recording > 0


def is_dynamo_compiling() -> bool:
    """Whether what runs is recorded for a backend of ``torch.compile``."""
    if torch.jit.is_scripting():
        return False
    return _state.recording > 0


def is_exporting() -> bool:
    """Whether the program is being exported: never."""
    return False


def disable(fn=None, recursive=True, *, reason=None):
    """Marks a function that is not to be compiled; alone or with arguments."""
    return fn if fn is not None else lambda fn: fn


def allow_in_graph(fn):
    """Marks a function that is taken into compiled programs as it is."""
    return fn


def assume_constant_result(fn):
    """Marks a function that always gives the same."""
    return fn


def reset() -> None:
    """Nothing: nothing was compiled."""


def cudagraph_mark_step_begin():
    """Nothing: nothing is recorded on a device."""


publish(globals())
