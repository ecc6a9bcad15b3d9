"""A part of ``torch.distributed.checkpoint`` that programs import: nothing of it works here, and each says so."""

from ..._absent import refuse, refuse_classes
from . import _why
from .state_dict_loader import _load_state_dict  # noqa: F401

refuse(globals(), ("dcp_to_torch_save", "torch_save_to_dcp"), NotImplementedError, _why)
refuse_classes(globals(), (
    "BroadcastingTorchSaveReader", "DynamicMetaLoadPlanner", "_EmptyStateDictLoadPlanner",
), NotImplementedError, _why)
