"""``torch.optim.adamax``: where :class:`Adamax` lives."""

from . import Adamax, Optimizer  # noqa: F401
from ._functional import adamax
from .optimizer import _use_grad_for_differentiable, _view_as_real  # noqa: F401

__all__ = ["Adamax", "adamax"]
