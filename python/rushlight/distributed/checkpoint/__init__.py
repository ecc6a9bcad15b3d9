"""``torch.distributed.checkpoint``: checkpoints that several processes write together, which are not part of this version.

``torch.save`` on one of the processes writes what they have in common.
"""

from ..._absent import refuse, refuse_classes


def _why(name):
    return f"torch.distributed.checkpoint.{name}: checkpoints of several processes are not part of Rushlight; torch.save writes those of one"


class CheckpointException(BaseException):
    """What reading or writing on several processes raises. Nothing does here."""


refuse(globals(), (
    "save", "load", "async_save", "save_state_dict", "load_state_dict", "load_sharded_optimizer_state_dict",
), NotImplementedError, _why)
refuse_classes(globals(), (
    "FileSystemReader", "FileSystemWriter", "StorageReader", "StorageWriter", "DefaultLoadPlanner", "DefaultSavePlanner", "LoadPlan",
    "LoadPlanner", "SavePlan", "SavePlanner", "ReadItem", "WriteItem", "Metadata", "HuggingFaceStorageReader", "HuggingFaceStorageWriter",
), NotImplementedError, _why)
