"""``torch.optim.nadam``: where :class:`NAdam` lives."""

from . import NAdam, Optimizer  # noqa: F401
from ._functional import nadam
from .optimizer import _use_grad_for_differentiable, _view_as_real  # noqa: F401

__all__ = ["NAdam", "nadam"]
