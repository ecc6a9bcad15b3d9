"""Where storages of checkpoints go: what ``map_location`` and the tags of storages mean."""

import rushlight as torch

from . import _rushlight
from .storage import UntypedStorage

_NO_DEVICE = (
    "Attempting to deserialize object on a {0} device but torch.{1}.is_available() is False. If you are running on a CPU-only machine, "
    "please use torch.load with map_location=torch.device('cpu') to map your storages to the CPU."
)
_NO_MODULE = (
    "The {0} device module is not registered. If you are running on a CPU-only machine, please use torch.load with "
    "map_location=torch.device('cpu') to map your storages to the CPU."
)
_NO_STORAGE = """TypedStorage.__init__ received an invalid combination of arguments. Expected one of:
 * (*, torch.device device, torch.dtype dtype)
 * (int size, *, torch.device device, torch.dtype dtype)
 * (Sequence data, *, torch.device device, torch.dtype dtype)
 * (*, UntypedStorage wrap_storage, torch.dtype dtype)"""


def _checked(storage, tag):
    """The place that a tag means, of those that there are: main memory, or ``meta``."""
    if not isinstance(tag, str):
        raise TypeError(f"expected string or bytes-like object, got '{type(tag).__module__}.{type(tag).__qualname__}'")
    if tag in ("cpu", "meta"):
        return tag
    if tag == "mps":
        raise RuntimeError("torch.UntypedStorage(): Storage device not recognized: mps")
    for kind in ("cuda", "xpu"):
        if tag.startswith(kind):
            torch.device(tag)
            raise RuntimeError(_NO_DEVICE.format(kind.upper(), kind))
    for kind in ("hpu", "privateuseone"):
        if tag.startswith(kind):
            raise RuntimeError(_NO_MODULE.format(kind.upper()))
    raise RuntimeError(f"don't know how to restore data location of torch.storage.UntypedStorage (tagged with {tag})")


def restored(storage, tag):
    """A storage where its tag says."""
    if _checked(storage, tag) == "cpu":
        return storage
    return UntypedStorage(_tensor=_rushlight.to_meta(storage._tensor))


def placed(elements, tag, location):
    """The elements of a storage, which was saved with a tag, where ``map_location`` wants them."""
    if isinstance(location, (str, torch.device)):
        place = _checked(elements, str(location))
    elif isinstance(location, dict):
        place = _checked(elements, location.get(tag, tag))
    else:
        storage = elements.untyped_storage()
        chosen = location(storage, tag)
        if chosen is None:
            place = _checked(elements, tag)
        elif not isinstance(chosen, UntypedStorage):
            raise TypeError(_NO_STORAGE)
        elif chosen.device.type == "meta":
            place = "meta"
        elif chosen.data_ptr() == storage.data_ptr():
            place = "cpu"
        else:
            return torch.empty(0, dtype=elements.dtype).set_(chosen, 0, elements.shape)
    return elements if place == "cpu" else _rushlight.to_meta(elements)
