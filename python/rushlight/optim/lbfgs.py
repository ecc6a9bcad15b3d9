"""``torch.optim.lbfgs``: where :class:`LBFGS` lives, and its search along a line."""

from . import LBFGS, Optimizer  # noqa: F401
from ._lbfgs import _cubic_interpolate, strong_wolfe  # noqa: F401

__all__ = ["LBFGS"]


def _strong_wolfe(obj_func, x, t, d, f, g, gtd, c1=1e-4, c2=0.9, tolerance_change=1e-9, max_ls=25):
    """A step from ``x`` along ``d`` that fulfils the strong Wolfe conditions, or the best one that was tried.

    Args:
        obj_func: gives loss and gradient for ``(x, step, d)``.
        t: the step to try first.
        f, g, gtd: the loss and the gradient at ``x``, and the product of the gradient with ``d``.

    Returns:
        The loss and the gradient after the step, the step, and how often ``obj_func`` was asked.
    """
    return strong_wolfe(lambda step: obj_func(x, step, d), t, d, f, g, gtd, tolerance_change, c1, c2, max_ls)
