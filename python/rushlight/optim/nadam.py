"""``torch.optim.nadam``: where :class:`NAdam` lives."""

from . import NAdam, Optimizer  # noqa: F401
