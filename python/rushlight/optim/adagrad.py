"""``torch.optim.adagrad``: where :class:`Adagrad` lives."""

from . import Adagrad, Optimizer  # noqa: F401
from ._functional import adagrad
from .optimizer import _use_grad_for_differentiable, _view_as_real  # noqa: F401

__all__ = ["Adagrad", "adagrad"]
