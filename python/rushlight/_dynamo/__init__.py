"""``torch._dynamo``: marks and switches for a compiler that is not part of Rushlight. Functions stay as they are."""

from ..compiler import allow_in_graph, assume_constant_result, disable, is_compiling, list_backends  # noqa: F401
from . import config, eval_frame, exc  # noqa: F401
from .eval_frame import OptimizedModule  # noqa: F401

__all__ = [
    "OptimizedModule", "allow_in_graph", "assume_constant_result", "config", "disable", "disallow_in_graph", "forbid_in_graph",
    "graph_break", "is_compiling", "list_backends", "mark_dynamic", "mark_static", "mark_static_address", "maybe_mark_dynamic",
    "optimize", "reset",
]


def optimize(backend="inductor", **_):
    """A decorator that gives back what it is given, as ``torch.compile``."""
    from .._functions import compile

    return compile(backend=backend)


def reset():
    """Nothing: nothing was compiled."""


def graph_break(msg=""):
    """Nothing: nothing is compiled."""


def disallow_in_graph(fn):
    """Marks a function that no compiled program calls."""
    return fn


def forbid_in_graph(fn):
    """Marks a function that no compiled program may call."""
    return fn


def mark_dynamic(t, index, *, min=None, max=None, **kwargs):
    """Marks a dimension of a tensor whose length changes."""


def mark_static(t, index=None):
    """Marks a dimension of a tensor whose length stays."""


def mark_static_address(t, guard=True):
    """Marks a tensor whose memory stays."""


maybe_mark_dynamic = mark_dynamic
