"""``torch.distributed._tensor``: the older name of ``torch.distributed.tensor``."""

from ..tensor import *  # noqa: F403
from ..tensor import DTensor, Partial, Placement, Replicate, Shard  # noqa: F401
