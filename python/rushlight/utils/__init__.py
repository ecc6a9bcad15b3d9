"""Small helpers that programs import."""

from . import dlpack, hooks  # noqa: F401
