"""``torch.fx``: programs as graphs that Python can read and change.

:func:`symbolic_trace` runs a module or function with proxies in place of its arguments and gives a :class:`GraphModule`,
whose ``graph`` is a list of nodes and whose ``forward`` is generated from it.
"""

from . import immutable_collections  # noqa: F401
from .node import Node, has_side_effect, map_arg
from .graph import CodeGen, Graph  # noqa: F401
from .graph_module import GraphModule
from .proxy import Proxy
from ._symbolic_trace import PH, ProxyableClassMeta, Tracer, symbolic_trace, wrap  # noqa: F401
from .interpreter import Interpreter, Transformer
from .subgraph_rewriter import replace_pattern
from . import _lazy_graph_module, traceback  # noqa: F401

__all__ = [
    "symbolic_trace", "Tracer", "wrap", "Graph", "GraphModule", "Interpreter", "Transformer", "Node", "Proxy",
    "replace_pattern", "has_side_effect", "map_arg",
]

# Modules that are loaded when they are first asked for.
_LATER = ("annotate", "config", "experimental", "operator_schemas", "passes", "tensor_type")


def __getattr__(name):
    if name in _LATER:
        import importlib

        return importlib.import_module("." + name, __package__)
    raise AttributeError(f"module 'torch.fx' has no attribute '{name}'")


def __dir__():
    return sorted({*globals(), *_LATER})
