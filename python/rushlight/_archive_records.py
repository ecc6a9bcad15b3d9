"""``torch._C.PyTorchFileWriter`` and ``PyTorchFileReader``: the records of an archive, for programs that lay them out themselves."""

import os

from . import _rushlight


class PyTorchFileWriter:
    """Gathers records and writes them as an archive: to a path, or to what has ``write``."""

    def __init__(self, target):
        self._target = target
        is_path = isinstance(target, (str, os.PathLike))
        base = os.path.basename(os.fspath(target)) if is_path else "archive"
        self._folder = os.path.splitext(base)[0] or "archive"
        self._records = {}

    def archive_name(self):
        """The folder that the records stand in."""
        return self._folder

    def write_record(self, name, data, size):
        """Adds a record: so many bytes of the data."""
        if name in self._records:
            raise RuntimeError(f"Tried to serialize file twice: {name}")
        self._records[name] = bytes(memoryview(data)[:size])

    def get_all_written_records(self):
        """The names of the records."""
        return set(self._records)

    def write_end_of_file(self):
        """Writes the archive."""
        records = {"version": b"3\n", "byteorder": b"little"}
        data = _rushlight.write_archive(self._folder, list({**self._records, **records}.items()))
        if hasattr(self._target, "write"):
            self._target.write(data)
        else:
            with open(self._target, "wb") as file:
                file.write(data)


class PyTorchFileReader:
    """The records of an archive: of a path, or of what has ``read``."""

    def __init__(self, source):
        if hasattr(source, "read"):
            data = source.read()
        else:
            try:
                with open(source, "rb") as file:
                    data = file.read()
            except OSError as error:
                raise RuntimeError(
                    f"open file failed because of errno {error.errno} on fopen: {error.strerror}, file path: {source}"
                ) from None
        self._records = _rushlight.read_archive(data)

    def get_all_records(self):
        """The names of the records."""
        return list(self._records)

    def has_record(self, name):
        """Whether there is a record of a name."""
        return name in self._records

    def get_record(self, name):
        """The bytes of a record."""
        if name not in self._records:
            raise RuntimeError(f"PytorchStreamReader failed locating file {name}: file not found")
        return self._records[name]

    def get_record_size(self, name):
        """How many bytes a record has."""
        return len(self.get_record(name))


for _class in (PyTorchFileWriter, PyTorchFileReader):
    _class.__module__ = "torch._C"
del _class
