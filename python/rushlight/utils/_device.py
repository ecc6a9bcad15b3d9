"""``torch.utils._device``: the functions that make tensors on a device, and a scope in which they make them on another."""

import functools

from .. import _rushlight
from ..overrides import TorchFunctionMode

# The device that `torch.set_default_device` has set; None for the CPU.
CURRENT_DEVICE = None

_NAMES = (
    "empty", "empty_permuted", "empty_strided", "empty_quantized", "ones", "arange", "bartlett_window", "blackman_window", "eye",
    "full", "hamming_window", "hann_window", "kaiser_window", "linspace", "logspace", "rand", "randn", "randint", "randperm", "range",
    "sparse_coo_tensor", "sparse_compressed_tensor", "sparse_csr_tensor", "sparse_csc_tensor", "sparse_bsr_tensor",
    "sparse_bsc_tensor", "tril_indices", "triu_indices", "zeros", "asarray", "tensor", "as_tensor", "scalar_tensor",
)


@functools.cache
def _device_constructors():
    """The functions of ``torch`` that take a device for what they make."""
    import rushlight as torch

    found = {getattr(torch, name) for name in _NAMES if hasattr(torch, name)}
    return found | {torch.fft.fftfreq, torch.fft.rfftfreq}


class DeviceContext(TorchFunctionMode):
    """Within, those functions make tensors on a device where no other is given."""

    def __init__(self, device):
        super().__init__()
        self.device = _rushlight.device(device)

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if func in _device_constructors() and kwargs.get("device") is None:
            kwargs["device"] = self.device
        return func(*args, **kwargs)


def set_device(device):
    """A decorator: what the function makes is on a device."""
    return lambda func: device_decorator(_rushlight.device(device), func)


def device_decorator(device, func):
    """A function that runs within :class:`DeviceContext`."""

    @functools.wraps(func)
    def within(*args, **kwargs):
        with DeviceContext(device):
            return func(*args, **kwargs)

    return within
