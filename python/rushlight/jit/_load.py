"""Archives: loading and saving."""

import io
import os
import sys
import warnings

from .. import _rushlight
from .._rushlight import device as _device
from ._notices import announce

# What programs add to how old archives are read; not loaded before one does.
_UPGRADERS = __name__.removesuffix("jit._load") + "_upgraders"


def _check_location(location):
    """Everything lives in main memory: other places are refused, as by a build without their devices."""
    if location is None:
        return
    if not isinstance(location, (str, _device)):
        raise ValueError(f"map_location should be either None, string or torch.device, but got type: {type(location)}")
    kind = _device(location).type
    if kind == "cuda":
        raise RuntimeError(
            "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. If you are running "
            "on a CPU-only machine, please use torch.load with map_location=torch.device('cpu') to map your storages to "
            "the CPU."
        )
    if kind not in ("cpu", "meta"):
        raise RuntimeError(f"Rushlight has no {kind} device; leave map_location out or pass 'cpu'")


def _location(place):
    """A device as the name of one that there is, or None."""
    if place is not None and _device(place).type == "meta":
        raise RuntimeError("a module cannot be made to run on the meta device: there is nothing to compute with")
    _check_location(place)
    return None if place is None else str(_device(place))


def allow_files(folder):
    """Lets scripts, loaded ones too, read and write files below a folder; None takes that back, and is how things begin."""
    _rushlight.allow_files(None if folder is None else os.fspath(folder))


def load(f, map_location=None, _extra_files=None, _restore_shapes=False, *, device=None, dtype=None, limits=None, trusted=False):
    """Loads an archive from a path or a file object.

    With `device` and `dtype` the module is made to run there: devices and floating point dtypes that a trace has written
    into the code are replaced, and parameters, buffers and constants are converted. A warning says what was changed. `limits` (:class:`Limits`) hold while the file is being loaded.
    A file that is `trusted` to stay as it is while the module lives is mapped instead of read: that is faster, and ends the
    process if somebody truncates the file.
    """
    if limits is not None:
        with limits:
            return load(
                f, map_location, _extra_files, _restore_shapes, device=device, dtype=dtype, trusted=trusted
            )
    announce("load")
    return _load(f, map_location, _extra_files, device, dtype, trusted)


def load_quietly(f, map_location=None):
    """As :func:`load`, without the notice that the way of loading has a successor."""
    return _load(f, map_location, None, None, None, False)


def _load(f, map_location, _extra_files, device, dtype, trusted):
    _check_location(map_location)
    place = _location(device)
    if dtype is not None and not dtype.is_floating_point:
        raise TypeError(f"a module can be made for a floating point dtype, not for {dtype}")
    if isinstance(f, (str, os.PathLike)):
        source = path = os.fspath(f)
        if not os.path.exists(path):
            raise ValueError(f"The provided filename {path} does not exist")
        if os.path.isdir(path):
            raise ValueError(f"The provided filename {path} is a directory")
        module, changes = _rushlight.load_file(path, place, dtype, trusted)
    else:
        data = f.read()
        source = io.BytesIO(data)
        module, changes = _rushlight.load_buffer(data, place, dtype)
    upgraders = sys.modules.get(_UPGRADERS)
    if upgraders is not None:
        upgraders.upgrade(getattr(module, "_c", module), source)
    if map_location is not None and _device(map_location).type == "meta":
        module._c._move_to_meta()
    if changes:
        warnings.warn(f"the loaded module was changed:\n{changes}", stacklevel=3)
    if _extra_files is not None:
        stored = dict(module._c._extra_files())
        for name in _extra_files:
            _extra_files[name] = stored.get(name, b"")
    return module
