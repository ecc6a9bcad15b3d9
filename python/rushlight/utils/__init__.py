"""Small helpers that programs import."""

from . import hooks  # noqa: F401
