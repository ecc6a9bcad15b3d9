"""Switches of the reference's executors and fusers. There is one executor here and its results do not depend on them."""

import contextlib
import warnings
from typing import Any

import rushlight as torch

from .._rushlight import ScriptFunction, ScriptMethod, ScriptObject, Tensor, is_grad_enabled
from ._notices import announce

_strategy = [("STATIC", 2), ("DYNAMIC", 10)]


def set_fusion_strategy(strategy):
    """Remembers a strategy; returns the one before."""
    announce("set_fusion_strategy", DeprecationWarning)
    return keep_strategy(strategy)


def keep_strategy(strategy):
    """What :func:`set_fusion_strategy` does, which says nothing where it is asked for under its older name."""
    for kind, _ in strategy:
        if kind not in ("STATIC", "DYNAMIC"):
            raise ValueError(f"FusionBehavior only supported 'STATIC' or 'DYNAMIC', got: {kind}")
    global _strategy
    before, _strategy = _strategy, list(strategy)
    return before


def enable_onednn_fusion(enabled):
    """Remembers that another fuser is wanted; there is one executor."""
    _wanted["onednn"] = bool(enabled)


def onednn_fusion_enabled():
    """Whether :func:`enable_onednn_fusion` was asked for that fuser."""
    return _wanted["onednn"]


_wanted = {"onednn": False}


@contextlib.contextmanager
def optimized_execution(should_optimize):
    """Runs what is inside as ever; within, the switch that says whether graphs are optimized is set."""
    from .. import _internals

    before = _internals._get_graph_executor_optimize(should_optimize)
    try:
        yield
    finally:
        _internals._set_graph_executor_optimize(before)


@contextlib.contextmanager
def fuser(name):
    """Runs what is inside as ever."""
    if name not in ("fuser0", "fuser1", "fuser2", "fuser3", "none", "off"):
        raise Exception(f"unrecognized fuser option (name: {name})")
    yield


class strict_fusion:
    """Runs what is inside as ever, in scripts as well: chains of elementwise operators are one loop there without being asked to be."""

    def __init__(self):
        if not torch.jit.is_scripting():
            warnings.warn("Only works in script mode", stacklevel=2)

    def __enter__(self):
        pass

    def __exit__(self, kind: Any, value: Any, trace: Any) -> None:
        pass


strict_fusion.__module__ = "torch.jit"


def _needs_gradients(values):
    """Whether any tensor among values, in containers or in modules, needs a gradient."""
    for value in values:
        if isinstance(value, Tensor):
            if value.requires_grad:
                return True
        elif isinstance(value, (list, tuple)):
            if _needs_gradients(value):
                return True
        elif isinstance(value, dict):
            if _needs_gradients(value.values()):
                return True
        elif isinstance(value, ScriptObject) and _needs_gradients(getattr(value, name) for name, _ in value._attributes()):
            return True
    return False


def _showing_gradients(native):
    def graph_for(self, *args, **kwargs):
        """Runs the function and gives the graph that ran."""
        owner = getattr(self, "owner", None)
        if not is_grad_enabled() or not _needs_gradients((owner, *args, *kwargs.values())):
            return native(self, *args, **kwargs)
        from .._passes import profile

        arguments = profile.bound(self, args, kwargs)
        return native(self, *args, **kwargs) if arguments is None else profile.differentiated(self, arguments)

    return graph_for


for _class in (ScriptFunction, ScriptMethod):
    _class.graph_for = _showing_gradients(_class.__dict__["graph_for"])
