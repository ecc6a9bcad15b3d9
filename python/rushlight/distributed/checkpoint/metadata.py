"""A part of ``torch.distributed.checkpoint`` that programs import: nothing of it works here, and each says so."""

from ..._absent import refuse_classes
from . import Metadata, _why  # noqa: F401

refuse_classes(globals(), (
    "BytesStorageMetadata", "ChunkStorageMetadata", "MetadataIndex", "TensorStorageMetadata", "StorageMeta", "TensorProperties",
), NotImplementedError, _why)
