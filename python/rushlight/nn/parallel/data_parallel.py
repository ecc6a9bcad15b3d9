"""A module on several devices at once: without devices it is just called."""

from ..modules.module import Module

__all__ = ["DataParallel", "data_parallel"]


class DataParallel(Module):
    """A module that several devices run on parts of their input; where there are no devices, the module itself.

    Args:
        module: what runs.
        device_ids: on which devices; there are none.
        output_device: where results are gathered.
        dim: along which dimension inputs would be divided.
    """

    def __init__(self, module, device_ids=None, output_device=None, dim=0):
        super().__init__()
        self.module, self.dim = module, dim
        self.device_ids, self.output_device = [], output_device

    def forward(self, *inputs, **kwargs):
        """What the module gives."""
        return self.module(*inputs, **kwargs)


def data_parallel(module, inputs, device_ids=None, output_device=None, dim=0, module_kwargs=None):
    """What a module gives for its input, or for a tuple of inputs."""
    if device_ids is None:
        # The reference looks for devices to run on.
        raise RuntimeError("device type could not be determined")
    inputs = inputs if isinstance(inputs, tuple) else () if inputs is None else (inputs,)
    return module(*inputs, **(module_kwargs or {}))
