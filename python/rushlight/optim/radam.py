"""``torch.optim.radam``: where :class:`RAdam` lives."""

from . import RAdam, Optimizer  # noqa: F401
