"""A part of ``torch.distributed.checkpoint`` that programs import: nothing of it works here, and each says so."""

from ..._absent import refuse
from . import _why

refuse(globals(), (
    "DefaultLoadPlanner",
    "DefaultSavePlanner",
), NotImplementedError, _why)
