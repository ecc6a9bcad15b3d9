"""``torch._utils``: helpers that programs borrow from the reference."""

import sys
import traceback

import rushlight as torch

from .serialization import (  # noqa: F401
    _marked,
    _rebuild_buffer,
    _rebuild_meta_tensor_no_storage,
    _rebuild_parameter,
    _rebuild_parameter_with_state,
)


def _rebuild_tensor(storage, storage_offset, size, stride):
    """A tensor over a storage."""
    return torch.empty(0, dtype=storage.dtype).set_(storage, storage_offset, size, stride)


def _rebuild_tensor_v2(storage, storage_offset, size, stride, requires_grad, backward_hooks, metadata=None):
    """A tensor over a storage, with what pickles say of it."""
    out = _marked(_rebuild_tensor(storage, storage_offset, size, stride), metadata)
    return out.requires_grad_(requires_grad)


def _flatten_dense_tensors(tensors):
    """The elements of all tensors in a row."""
    return torch.cat([tensor.contiguous().view(-1) for tensor in tensors]) if len(tensors) else torch.empty(0)


def _unflatten_dense_tensors(flat, tensors):
    """Parts of a row in the sizes of tensors: views."""
    parts, place = [], 0
    for tensor in tensors:
        parts.append(flat.narrow(0, place, tensor.numel()).view(tensor.shape))
        place += tensor.numel()
    return tuple(parts)


def _take_tensors(tensors, size_limit):
    """Lists of tensors of one type, each of at most this many bytes or of one tensor."""
    waiting = {}
    for tensor in tensors:
        kept, size = waiting.get(tensor.dtype, ([], 0))
        more = tensor.numel() * tensor.element_size()
        if kept and size + more > size_limit:
            yield kept
            kept, size = [], 0
        waiting[tensor.dtype] = (kept + [tensor], size + more)
    for kept, _ in waiting.values():
        if kept:
            yield kept


def _element_size(dtype):
    """How many bytes an element takes."""
    return dtype.itemsize


def _get_available_device_type():
    """The kind of devices beside the CPU: none."""
    return None


def _get_device_module(device_type):
    """The module of a kind of devices: ``torch.cpu`` and its like."""
    import rushlight

    found = getattr(rushlight, device_type, None)
    if found is None:
        raise RuntimeError(f"Device '{device_type}' does not have a corresponding module registered as 'torch.{device_type}'.")
    return found


def _get_all_device_indices():
    """The numbers of the devices beside the CPU: there are none."""
    return []


def _get_device_index(device, optional=False, allow_cpu=False):
    """The number of a device; -1 for the CPU."""
    if isinstance(device, int):
        return device
    device = torch.device(device) if isinstance(device, str) else device
    if isinstance(device, torch.device):
        if device.type == "cpu" and not allow_cpu:
            raise ValueError(f"Expected a non cpu device, but got: {device}")
        if device.index is not None:
            return device.index
        return -1 if device.type == "cpu" else 0
    if device is None and optional:
        return 0
    raise ValueError(f"Expected a torch.device with a specified index or an integer, but got:{device}")


def _import_dotted_name(name):
    """What a path of modules and attributes leads to."""
    first, *rest = name.split(".")
    found = __import__(first)
    for part in rest:
        found = getattr(found, part)
    return found


class KeyErrorMessage(str):
    """A text that shows without quotes: what a ``KeyError`` carries."""

    def __repr__(self):
        return self


class ExceptionWrapper:
    """An error of another process or thread with its traceback as text, to be raised here."""

    def __init__(self, exc_info=None, where="in background"):
        kind, error, trace = exc_info or sys.exc_info()
        self.exc_type = kind
        self.exc_msg = "".join(traceback.format_exception(kind, error, trace))
        self.where = where

    def reraise(self):
        """Raises an error of the type, whose message tells where it came from."""
        message = f"Caught {self.exc_type.__name__} {self.where}.\nOriginal {self.exc_msg}"
        if self.exc_type is KeyError:
            message = KeyErrorMessage(message)
        elif getattr(self.exc_type, "message", None):
            raise self.exc_type(message=message)
        try:
            error = self.exc_type(message)
        except Exception:
            raise RuntimeError(message) from None
        raise error
