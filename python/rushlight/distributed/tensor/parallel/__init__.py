"""Modules whose parameters are in parts, which are not part of this version."""

from ...._absent import refuse


class ParallelStyle:
    """How a module is divided."""


class ColwiseParallel(ParallelStyle):
    """By columns."""


class RowwiseParallel(ParallelStyle):
    """By rows."""


class PrepareModuleInput(ParallelStyle):
    """By what goes in."""


class PrepareModuleOutput(ParallelStyle):
    """By what comes out."""


class PrepareModuleInputOutput(ParallelStyle):
    """By both."""


class SequenceParallel(ParallelStyle):
    """By places of a sequence."""


refuse(globals(), ("parallelize_module",), NotImplementedError, lambda name: f"torch.distributed.tensor.parallel.{name} is not part of Rushlight")
