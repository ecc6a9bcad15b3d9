"""``torch.optim.radam``: where :class:`RAdam` lives."""

from . import RAdam, Optimizer  # noqa: F401
from ._functional import radam
from .optimizer import _use_grad_for_differentiable, _view_as_real  # noqa: F401

__all__ = ["RAdam", "radam"]
