"""A part of ``torch.distributed.checkpoint`` that programs import: nothing of it works here, and each says so."""

from ..._absent import refuse
from . import _why

refuse(globals(), ("save", "save_state_dict", "async_save", "_save_state_dict"), NotImplementedError, _why)
