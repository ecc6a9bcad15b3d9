"""``torch.optim.asgd``: where :class:`ASGD` lives."""

from . import ASGD, Optimizer  # noqa: F401
from ._functional import asgd
from .optimizer import _use_grad_for_differentiable, _view_as_real  # noqa: F401

__all__ = ["ASGD", "asgd"]
