"""``torch.optim.rprop``: where :class:`Rprop` lives."""

from . import Rprop, Optimizer  # noqa: F401
from ._functional import rprop
from .optimizer import _use_grad_for_differentiable, _view_as_real  # noqa: F401

__all__ = ["Rprop", "rprop"]
