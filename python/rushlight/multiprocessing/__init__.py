"""``torch.multiprocessing``: Python's ``multiprocessing``, with tensors that processes share.

A tensor that was moved to shared memory (``share_memory_``) is the same memory in every process that gets it, through a
queue, a pipe or as an argument. All others are copied on their way.
"""

import multiprocessing
import multiprocessing as _python
from multiprocessing import *  # noqa: F401,F403
from multiprocessing import Array, Pool, Process, Queue, get_context  # noqa: F401

from .._alias import teach_children
from . import reductions
from .spawn import (  # noqa: F401
    ProcessContext,
    ProcessException,
    ProcessExitedException,
    ProcessRaisedException,
    SpawnContext,
    spawn,
    start_processes,
)

__all__ = ["get_all_sharing_strategies", "get_sharing_strategy", "set_sharing_strategy", *_python.__all__]

_sharing_strategy = "file_descriptor"
_all_sharing_strategies = {"file_descriptor", "file_system"}


def set_sharing_strategy(new_strategy):
    """Keeps how the program wants memory to be shared: here it is always by files in memory."""
    global _sharing_strategy
    assert new_strategy in _all_sharing_strategies
    _sharing_strategy = new_strategy


def get_sharing_strategy():
    """What :func:`set_sharing_strategy` has set."""
    return _sharing_strategy


def get_all_sharing_strategies():
    """What :func:`set_sharing_strategy` takes."""
    return _all_sharing_strategies


teach_children()
reductions.init_reductions()
