"""``torch.optim.asgd``: where :class:`ASGD` lives."""

from . import ASGD, Optimizer  # noqa: F401
