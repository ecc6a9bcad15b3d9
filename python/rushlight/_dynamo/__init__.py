"""``torch._dynamo``: marks and switches for a compiler that is not part of Rushlight. Functions stay as they are."""

from ..compiler import allow_in_graph, assume_constant_result, disable, is_compiling, list_backends  # noqa: F401
from . import config, eval_frame, exc  # noqa: F401
from ._backends import lookup_backend, register_backend  # noqa: F401
from .eval_frame import OptimizedModule  # noqa: F401

# Modules that are loaded when they are first asked for.
_LAZY = frozenset(("compiled_autograd", "utils"))

__all__ = [
    "OptimizedModule", "allow_in_graph", "assume_constant_result", "config", "disable", "disallow_in_graph", "explain", "forbid_in_graph",
    "graph_break", "is_compiling", "list_backends", "mark_dynamic", "mark_static", "mark_static_address", "maybe_mark_dynamic",
    "optimize", "register_backend", "reset",
]


def __getattr__(name):
    if name in _LAZY:
        from importlib import import_module

        return import_module("." + name, __package__)
    raise AttributeError(f"module 'torch._dynamo' has no attribute '{name}'")


def optimize(backend="inductor", **_):
    """``torch.compile`` as a decorator."""
    from .._functions import compile

    return compile(backend=backend)


class ExplainOutput:
    """What a compiler would make of a call: its graphs, and why there are several."""

    def __init__(self, graphs, reasons, count):
        self.graphs, self.graph_count, self.op_count = graphs, len(graphs), count
        self.break_reasons, self.graph_break_count = reasons, max(len(graphs) - 1, len(reasons))

    def __str__(self):
        return f"Graph Count: {self.graph_count}\nGraph Break Count: {self.graph_break_count}\nOp Count: {self.op_count}"


def explain(f, *extra_args, **extra_kwargs):
    """A function that tells of a call what graphs it is, without making anything of them."""
    from .._functions import compile

    def inner(*args, **kwargs):
        graphs, reasons = [], []

        def backend(graph_module, examples):
            graphs.append(graph_module)
            return graph_module.forward

        try:
            compile(f, backend=backend, fullgraph=True)(*args, **kwargs)
        except exc.Unsupported as reason:
            reasons.append(str(reason))
        return ExplainOutput(graphs, reasons, sum(node.op.startswith("call_") for g in graphs for node in g.graph.nodes))

    return inner(*extra_args, **extra_kwargs) if extra_args or extra_kwargs else inner


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
