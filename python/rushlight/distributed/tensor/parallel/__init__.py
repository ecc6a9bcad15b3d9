"""Modules whose parameters are in parts, which are not part of this version."""

from ...._absent import refuse


class ParallelStyle:
    """How a module is divided."""


class ColwiseParallel(ParallelStyle):
    """By columns."""


class RowwiseParallel(ParallelStyle):
    """By rows."""


refuse(globals(), ("parallelize_module",), NotImplementedError, lambda name: f"torch.distributed.tensor.parallel.{name} is not part of Rushlight")
