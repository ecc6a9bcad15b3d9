"""``torch.optim.adagrad``: where :class:`Adagrad` lives."""

from . import Adagrad, Optimizer  # noqa: F401
