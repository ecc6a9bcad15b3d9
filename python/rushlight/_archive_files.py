"""Archives record by record: ``torch.PyTorchFileReader`` and ``torch.PyTorchFileWriter``."""

import os

from . import _rushlight

__all__ = ["PyTorchFileReader", "PyTorchFileWriter"]


class PyTorchFileReader:
    """The records of an archive by name, from a path or an open file."""

    def __init__(self, name_or_buffer):
        if hasattr(name_or_buffer, "read"):
            data = name_or_buffer.read()
        else:
            with open(os.fspath(name_or_buffer), "rb") as file:
                data = file.read()
        self._records = _rushlight.read_archive(data)

    def get_all_records(self):
        """The names."""
        return list(self._records)

    def has_record(self, name):
        """Whether there is a record."""
        return name in self._records

    def get_record(self, name):
        """The bytes of a record; raises ``RuntimeError`` where there is none."""
        if name not in self._records:
            raise RuntimeError(f"PytorchStreamReader failed locating file {name}: file not found")
        return self._records[name]

    def get_storage_from_record(self, name, numel, dtype):
        """A record as a tensor of so many elements."""
        return _rushlight.tensor_from_bytes(self.get_record(name), dtype, [numel])

    def version(self):
        """The version of the format."""
        return int(self._records.get("version", b"0"))


class PyTorchFileWriter:
    """Writes an archive to a path or an open file, at its end."""

    def __init__(self, name_or_buffer, *args, **kwargs):
        self._target, self._records = name_or_buffer, []

    def write_record(self, name, data, size):
        """Adds a record: the first ``size`` bytes of the data."""
        self._records.append((name, bytes(data)[:size]))

    def write_end_of_file(self):
        """Writes the archive."""
        is_file = hasattr(self._target, "write")
        folder = "archive" if is_file else os.path.splitext(os.path.basename(os.fspath(self._target)))[0]
        data = _rushlight.write_archive(folder, [*self._records, ("version", b"3\n")])
        if is_file:
            self._target.write(data)
        else:
            _rushlight.write_file(os.fspath(self._target), data)
