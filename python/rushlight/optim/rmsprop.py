"""``torch.optim.rmsprop``: where :class:`RMSprop` lives."""

from . import RMSprop, Optimizer  # noqa: F401
from ._functional import rmsprop
from .optimizer import _use_grad_for_differentiable, _view_as_real  # noqa: F401

__all__ = ["RMSprop", "rmsprop"]
