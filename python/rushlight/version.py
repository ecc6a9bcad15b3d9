"""The versions, as programs ask for them: ``__version__`` is that of the torch that this stands in for, ``rushlight`` that of the wheel."""

from ._rushlight import torch_version as _version, version as rushlight  # noqa: F401
from .torch_version import TorchVersion as _TorchVersion

__version__ = _TorchVersion(_version)
git_version = "unknown"
cuda = None
hip = None
debug = False
