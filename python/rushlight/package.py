"""``torch.package``: archives of Python code with tensors, which are not part of this version. Opening one raises."""


class _Absent:
    def __init__(self, *args, **kwargs):
        raise NotImplementedError(
            f"torch.package.{type(self).__name__} is not part of Rushlight; torch.jit.save keeps programs, torch.save keeps tensors"
        )


class PackageExporter(_Absent):
    """Writes a package. Not part of this version."""


class PackageImporter(_Absent):
    """Reads a package. Not part of this version."""


class PackagingError(Exception):
    """A package cannot be written."""


class EmptyMatchError(Exception):
    """A pattern of modules matched none."""


def is_from_package(obj):
    """Whether an object came out of a package: none does."""
    return False
