"""A part of ``torch.distributed.fsdp`` that programs import: nothing of it works here, and each says so."""

from ..._absent import refuse
from ._why import why as _why

refuse(globals(), ("_root_pre_forward", "_lazy_init",), NotImplementedError, _why)
