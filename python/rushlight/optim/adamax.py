"""``torch.optim.adamax``: where :class:`Adamax` lives."""

from . import Adamax, Optimizer  # noqa: F401
