"""The version, as programs ask for it."""

__version__ = "2.15.0+rushlight"
git_version = "unknown"
cuda = None
hip = None
debug = False
