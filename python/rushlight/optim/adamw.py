"""``torch.optim.adamw``: where :class:`AdamW` lives."""

from . import AdamW, Optimizer  # noqa: F401
from ._functional import adamw
from .optimizer import _use_grad_for_differentiable, _view_as_real  # noqa: F401

__all__ = ["AdamW", "adamw"]
