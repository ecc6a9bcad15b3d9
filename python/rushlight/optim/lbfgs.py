"""``torch.optim.lbfgs``: where :class:`LBFGS` lives."""

from . import LBFGS, Optimizer  # noqa: F401

__all__ = ["LBFGS"]
