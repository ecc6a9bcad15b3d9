"""Parameters that hold those of a divided module, of which there are none."""

from . import FlatParameter  # noqa: F401
