"""``torch.utils.data.datapipes``: chains of steps that data goes through."""

from . import datapipe, iter, map  # noqa: F401
