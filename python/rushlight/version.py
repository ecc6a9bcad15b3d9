"""The version, as programs ask for it."""

from ._rushlight import torch_version as __version__  # noqa: F401
git_version = "unknown"
cuda = None
hip = None
debug = False
