"""``torch.distributions.exp_family``: the exponential family."""

from .distribution import Distribution

__all__ = ["ExponentialFamily"]


class ExponentialFamily(Distribution):
    """Distributions whose density is the exponential of a product of parameters and statistics."""
