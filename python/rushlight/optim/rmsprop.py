"""``torch.optim.rmsprop``: where :class:`RMSprop` lives."""

from . import RMSprop, Optimizer  # noqa: F401
