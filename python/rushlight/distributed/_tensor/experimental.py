"""``torch.distributed._tensor.experimental``: the older name of ``torch.distributed.tensor.experimental``."""

from ..tensor.experimental import implicit_replication  # noqa: F401
