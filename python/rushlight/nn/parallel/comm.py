"""``torch.nn.parallel.comm``: the earlier place of ``torch.cuda.comm``."""

from ...cuda.comm import broadcast, broadcast_coalesced, gather, reduce_add, reduce_add_coalesced, scatter  # noqa: F401
