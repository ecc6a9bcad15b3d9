"""A module that several processes train together. There are no collective operations here."""

from ..modules.module import Module

__all__ = ["DistributedDataParallel"]


class DistributedDataParallel(Module):
    """A module whose gradients are averaged over a group of processes. Programs ask whether something is one."""

    def __init__(self, module, device_ids=None, output_device=None, dim=0, *args, **kwargs):
        super().__init__()
        raise ValueError("Default process group has not been initialized, please make sure to call init_process_group.")
