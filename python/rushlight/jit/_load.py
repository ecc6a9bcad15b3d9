"""Archives: loading and saving."""

import os

from .. import _rushlight
from .._rushlight import device


def _check_location(location):
    """Everything lives in main memory: other places are refused, as by a build without their devices."""
    if location is None:
        return
    if not isinstance(location, (str, device)):
        raise ValueError(f"map_location should be either None, string or torch.device, but got type: {type(location)}")
    kind = device(location).type
    if kind == "cuda":
        raise RuntimeError(
            "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. If you are running "
            "on a CPU-only machine, please use torch.load with map_location=torch.device('cpu') to map your storages to "
            "the CPU."
        )
    if kind != "cpu":
        raise RuntimeError(f"Rushlight has no {kind} device; leave map_location out or pass 'cpu'")


def load(f, map_location=None, _extra_files=None, _restore_shapes=False):
    """Loads an archive from a path or a file object."""
    _check_location(map_location)
    if isinstance(f, (str, os.PathLike)):
        path = os.fspath(f)
        if not os.path.exists(path):
            raise ValueError(f"The provided filename {path} does not exist")
        if os.path.isdir(path):
            raise ValueError(f"The provided filename {path} is a directory")
        module = _rushlight.load_file(path)
    else:
        module = _rushlight.load_buffer(f.read())
    if _extra_files is not None:
        stored = dict(module._c._extra_files())
        for name in _extra_files:
            _extra_files[name] = stored.get(name, b"")
    return module
