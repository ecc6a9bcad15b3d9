"""``torch.optim.sgd``: where :class:`SGD` lives."""

from . import SGD, Optimizer  # noqa: F401
