"""``torch.optim.rprop``: where :class:`Rprop` lives."""

from . import Rprop, Optimizer  # noqa: F401
