"""Optimizers whose parameters live in other processes, which are not part of this version."""

from ..._absent import refuse_classes

__all__ = ["DistributedOptimizer"]

refuse_classes(globals(), ("DistributedOptimizer",), NotImplementedError, lambda name: (
    f"torch.distributed.optim.{name}: optimizers of parameters in other processes are not part of Rushlight"
))
