"""``torch.distributed.optim``: optimisers whose state is divided between processes."""

from .zero_redundancy_optimizer import ZeroRedundancyOptimizer

__all__ = ["ZeroRedundancyOptimizer"]
