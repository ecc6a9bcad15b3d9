"""``torch.fx._lazy_graph_module``: who makes graph modules. None is lazy here: code is generated at once."""

import contextlib

from .graph_module import GraphModule


def _make_graph_module(*args, graph_module_cls=None, **kwargs):
    """A graph module of a certain class."""
    return (graph_module_cls or GraphModule)(*args, **kwargs)


def _get_graph_module_cls():
    return GraphModule


def _unwrap_lazy_graph_module(gm):
    """The module itself."""
    return gm


@contextlib.contextmanager
def _use_lazy_graph_module(should_use):
    """Changes nothing until it is left, nor afterwards."""
    yield


@contextlib.contextmanager
def _force_skip_lazy_graph_module():
    yield
