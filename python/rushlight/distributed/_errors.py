"""What collectives and stores raise."""

__all__ = ["DistBackendError", "DistError", "DistNetworkError", "DistStoreError", "QueueEmptyError"]


class DistError(RuntimeError):
    """Something that several processes do together has failed."""


class DistBackendError(DistError):
    """A group of processes has failed."""


class DistNetworkError(DistError):
    """A connection has failed."""


class DistStoreError(DistError):
    """A store has failed, or what was waited for did not come."""


class QueueEmptyError(DistStoreError):
    """There is nothing in a queue of a store."""


for _class in (DistError, DistBackendError, DistNetworkError, DistStoreError, QueueEmptyError):
    _class.__module__ = "torch.distributed"
