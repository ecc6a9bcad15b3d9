"""``torch.optim.adam``: where :class:`Adam` lives."""

from . import Adam, Optimizer  # noqa: F401
from ._functional import adam
from .optimizer import _use_grad_for_differentiable, _view_as_real  # noqa: F401

__all__ = ["Adam", "adam"]
