"""``torch.signal``: windows."""

from . import windows  # noqa: F401
