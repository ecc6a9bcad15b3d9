"""Where the parts of a tensor are."""

from . import Partial, Placement, Replicate, Shard  # noqa: F401


class _StridedShard(Shard):
    """Parts along a dimension that others divide further."""
