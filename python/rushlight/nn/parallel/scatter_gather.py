"""Parts of the work of several devices, of which there are none."""

from ...cuda import _NO_DRIVER

__all__ = ["gather", "parallel_apply", "replicate", "scatter"]


def gather(outputs, target_device, dim=0):
    """Needs devices; there are none."""
    raise AssertionError("Gather function not implemented for CPU tensors")


def replicate(network, devices, detach=False):
    """Needs devices; there are none."""
    raise AssertionError("Broadcast function not implemented for CPU tensors")


def scatter(inputs, target_gpus, dim=0):
    """Needs devices; there are none."""
    raise RuntimeError(_NO_DRIVER)


def parallel_apply(modules, inputs, kwargs_tup=None, devices=None):
    """Needs devices; there are none."""
    raise RuntimeError(_NO_DRIVER)
