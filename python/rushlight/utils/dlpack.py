"""``torch.utils.dlpack``: tensors to and from other libraries without a copy."""

from .._functions import from_dlpack, to_dlpack

__all__ = ["DLDeviceType", "from_dlpack", "to_dlpack"]


def __getattr__(name):
    if name == "DLDeviceType":
        from ._dlpack_devices import DLDeviceType

        globals()[name] = DLDeviceType
        return DLDeviceType
    raise AttributeError(f"module 'torch.utils.dlpack' has no attribute '{name}'")
