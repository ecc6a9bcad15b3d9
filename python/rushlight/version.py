"""The version, as programs ask for it."""

from ._rushlight import torch_version as _version
from .torch_version import TorchVersion as _TorchVersion

__version__ = _TorchVersion(_version)
git_version = "unknown"
cuda = None
hip = None
debug = False
