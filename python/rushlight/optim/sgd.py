"""``torch.optim.sgd``: where :class:`SGD` lives."""

from . import SGD, Optimizer  # noqa: F401
from ._functional import sgd
from .optimizer import _use_grad_for_differentiable, _view_as_real  # noqa: F401

__all__ = ["SGD", "sgd"]
