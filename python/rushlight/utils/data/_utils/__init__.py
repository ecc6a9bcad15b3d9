"""What loaders are made of: batches from samples, and the processes that fetch them."""

import importlib.util

from . import collate, fetch, pin_memory, signal_handling, worker
from .worker import ExceptionWrapper, MP_STATUS_CHECK_INTERVAL  # noqa: F401

# Whether this process ends: set by nobody, as the processes of loaders do not outlive their loader.
python_exit_status = False
HAS_NUMPY = importlib.util.find_spec("numpy") is not None

__all__ = ["collate", "fetch", "pin_memory", "signal_handling", "worker"]
