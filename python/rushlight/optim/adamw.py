"""``torch.optim.adamw``: where :class:`AdamW` lives."""

from . import AdamW, Optimizer  # noqa: F401
