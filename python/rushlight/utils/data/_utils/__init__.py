"""What loaders are made of: batches from samples, and the processes that fetch them."""

import importlib.util

from . import collate, fetch, pin_memory, worker
from .worker import ExceptionWrapper, MP_STATUS_CHECK_INTERVAL  # noqa: F401

HAS_NUMPY = importlib.util.find_spec("numpy") is not None

__all__ = ["collate", "fetch", "pin_memory", "worker"]
