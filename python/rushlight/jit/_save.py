"""Saving scripted functions and modules."""

import os
from collections.abc import Mapping

from .. import _rushlight
from ._notices import announce


# What the contents of a file may be.
_CONTENTS = (str, bytes, bytearray, memoryview)


class ConstMap:
    """The constants that printed code refers to: ``c0``, ``c1``, ..."""

    def __init__(self, const_mapping):
        self.const_mapping = const_mapping

    def __getattr__(self, name):
        try:
            return self.__dict__["const_mapping"][name]
        except KeyError:
            raise AttributeError(name) from None


def _extra(call, files):
    """The texts and bytes that an archive takes beside the code, by their names; refuses anything else."""
    if not isinstance(files, (Mapping, type(None))) or not all(
        isinstance(name, str) and isinstance(data, _CONTENTS) for name, data in (files or {}).items()
    ):
        raise TypeError(
            f"{call}(): incompatible function arguments. The following argument types are supported:\n"
            f"    _extra_files: collections.abc.Mapping[str, str] = {{}}\n\nInvoked with: _extra_files={files!r}"
        )
    return [(name, data.encode() if isinstance(data, str) else bytes(data)) for name, data in (files or {}).items()]


def save_to_buffer(m, _extra_files=None):
    """The archive of a scripted function or module, as bytes."""
    return getattr(m, "_c", m)._archive("archive", _extra("save_to_buffer", _extra_files))


def save_to_file(m, f, _extra_files=None):
    """Saves a scripted function or module under a path."""
    path = os.fspath(f)
    parent = os.path.dirname(path)
    if parent and not os.path.isdir(parent):
        raise RuntimeError(f"Parent directory {parent} does not exist.")
    folder = os.path.splitext(os.path.basename(path))[0]
    _rushlight.write_file(path, getattr(m, "_c", m)._archive(folder, _extra("save", _extra_files)))


_rushlight.register("save_to_buffer", save_to_buffer)
_rushlight.register("save_to_file", save_to_file)


def save(m, f, _extra_files=None):
    """Saves a scripted function or module to a path or a file object."""
    announce("save")
    if isinstance(f, (str, os.PathLike)):
        m.save(f, _extra_files=_extra_files)
    else:
        f.write(m.save_to_buffer(_extra_files=_extra_files))
