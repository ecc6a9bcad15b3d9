"""``torch.optim.adadelta``: where :class:`Adadelta` lives."""

from . import Adadelta, Optimizer  # noqa: F401
