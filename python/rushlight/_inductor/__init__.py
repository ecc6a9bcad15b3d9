"""``torch._inductor``: switches of a compiler that is not part of Rushlight."""

from . import config  # noqa: F401
