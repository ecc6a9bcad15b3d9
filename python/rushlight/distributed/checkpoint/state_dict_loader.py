"""A part of ``torch.distributed.checkpoint`` that programs import: nothing of it works here, and each says so."""

from ..._absent import refuse
from . import _why

refuse(globals(), ("load", "load_state_dict", "_load_state_dict", "_load_state_dict_from_keys"), NotImplementedError, _why)
