"""A part of ``torch.distributed.checkpoint`` that programs import: nothing of it works here, and each says so."""

from ..._absent import refuse
from . import _why

refuse(globals(), ("load_sharded_optimizer_state_dict",), NotImplementedError, _why)
