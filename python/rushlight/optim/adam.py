"""``torch.optim.adam``: where :class:`Adam` lives."""

from . import Adam, Optimizer  # noqa: F401
