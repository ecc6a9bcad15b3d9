"""``torch.optim.adadelta``: where :class:`Adadelta` lives."""

from . import Adadelta, Optimizer  # noqa: F401
from ._functional import adadelta
from .optimizer import _use_grad_for_differentiable, _view_as_real  # noqa: F401

__all__ = ["Adadelta", "adadelta"]
