"""What loaders are made of: batches from samples, and the processes that fetch them."""

from . import collate, fetch, pin_memory, worker

__all__ = ["collate", "fetch", "pin_memory", "worker"]
