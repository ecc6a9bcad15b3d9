"""Where programs look for what is in ``torch.distributed.fsdp``."""

from . import FSDPModule, fully_shard  # noqa: F401
