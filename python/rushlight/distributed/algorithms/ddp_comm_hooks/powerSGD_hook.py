"""Gradients that are sent as products of thin matrices, which is not part of this version: the names are there, and each says so."""

from ...._absent import refuse, refuse_classes

__all__ = ["PowerSGDState", "powerSGD_hook", "batched_powerSGD_hook"]


def _why(name):
    return f"torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook.{name} is not part of Rushlight; default_hooks sends gradients with fewer bits"


refuse(globals(), ("powerSGD_hook", "batched_powerSGD_hook"), NotImplementedError, _why)
refuse_classes(globals(), ("PowerSGDState",), NotImplementedError, _why)
