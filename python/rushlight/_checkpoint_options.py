"""What programs set for checkpoints: whether their elements are left out, checksums, and how files are mapped into memory."""

import mmap

_settings = {"skip": False, "crc32": True}


class skip_data:
    """Within, ``torch.save`` leaves room for the elements of tensors without writing them, and ``torch.load`` does not read them."""

    def __init__(self, materialize_fake_tensors=False):
        self.materialize_fake_tensors = materialize_fake_tensors
        self._before = False

    def __enter__(self):
        self._before, _settings["skip"] = _settings["skip"], True

    def __exit__(self, *error):
        _settings["skip"] = self._before


def skips_data():
    """Whether a ``with skip_data()`` block is running."""
    return _settings["skip"]


def get_crc32_options():
    """Whether checkpoints are asked to have checksums of their records."""
    return _settings["crc32"]


def set_crc32_options(compute_crc32):
    """Says whether checkpoints are to have checksums. The archives that are written here always have them."""
    _settings["crc32"] = compute_crc32


def get_default_mmap_options():
    """How files are mapped with ``mmap=True``: ``mmap.MAP_PRIVATE`` or ``mmap.MAP_SHARED``."""
    return mmap.MAP_PRIVATE


class set_default_mmap_options:
    """Says how files are mapped with ``mmap=True``, from now on or for a ``with`` block.

    Files are read into memory here, which is what a private mapping shows; a shared one is refused.
    """

    def __init__(self, flags):
        if flags not in (mmap.MAP_PRIVATE, mmap.MAP_SHARED):
            raise ValueError(
                "Invalid argument in function set_default_mmap_options, expected mmap.MAP_PRIVATE or mmap.MAP_SHARED, but got "
                f"{flags}"
            )
        if flags == mmap.MAP_SHARED:
            raise NotImplementedError("Rushlight reads checkpoints into memory: changes of their tensors do not reach the file")

    def __enter__(self):
        return None

    def __exit__(self, *error):
        return None
