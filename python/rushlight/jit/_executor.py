"""Switches of the reference's executors and fusers. There is one executor here and its results do not depend on them."""

import contextlib
import warnings

from ._notices import announce

_strategy = [("STATIC", 2), ("DYNAMIC", 10)]


def set_fusion_strategy(strategy):
    """Remembers a strategy; returns the one before."""
    announce("set_fusion_strategy", DeprecationWarning)
    for kind, _ in strategy:
        if kind not in ("STATIC", "DYNAMIC"):
            raise ValueError(f"FusionBehavior only supported 'STATIC' or 'DYNAMIC', got: {kind}")
    global _strategy
    before, _strategy = _strategy, list(strategy)
    return before


def enable_onednn_fusion(enabled):
    """Has no effect: there is no such fuser."""


def onednn_fusion_enabled():
    """False: there is no such fuser."""
    return False


@contextlib.contextmanager
def optimized_execution(should_optimize):
    """Runs what is inside as ever."""
    yield


@contextlib.contextmanager
def fuser(name):
    """Runs what is inside as ever."""
    if name not in ("fuser0", "fuser1", "fuser2", "fuser3", "none", "off"):
        raise Exception(f"unrecognized fuser option (name: {name})")
    yield


class strict_fusion:
    """Runs what is inside as ever."""

    def __init__(self):
        warnings.warn("Only works in script mode", stacklevel=2)

    def __enter__(self):
        pass

    def __exit__(self, kind, value, trace):
        pass


strict_fusion.__module__ = "torch.jit"
