"""A part of ``torch.distributed.checkpoint`` that programs import: nothing of it works here, and each says so."""

from ..._absent import refuse_classes
from . import StorageReader, StorageWriter, _why  # noqa: F401

refuse_classes(globals(), ("WriteResult",), NotImplementedError, _why)
