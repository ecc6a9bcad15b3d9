"""Archives: loading and saving."""

import os

from .. import _rushlight


def load(f, map_location=None, _extra_files=None, _restore_shapes=False):
    """Loads an archive from a path or a file object."""
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
            if name in stored:
                _extra_files[name] = stored[name]
    return module
