"""``torch.distributions.kumaraswamy``: the Kumaraswamy distribution."""

import rushlight as torch

from . import constraints
from .transformed_distribution import TransformedDistribution
from .transforms import AffineTransform, PowerTransform
from .uniform import Uniform
from .utils import broadcast_all, euler_constant


def _moment(a, b, n):
    """The n-th moment."""
    arg = 1 + n / a
    return torch.exp(torch.lgamma(arg) + torch.lgamma(b) - torch.lgamma(arg + b)) * b


class Kumaraswamy(TransformedDistribution):
    """Values between 0 and 1."""

    arg_constraints = {"concentration1": constraints.positive, "concentration0": constraints.positive}
    support = constraints.unit_interval
    has_rsample = True

    def __init__(self, concentration1, concentration0, validate_args=None):
        self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        one = torch.full_like(self.concentration0, 1)
        base = Uniform(torch.full_like(self.concentration0, 0), one, validate_args=validate_args)
        parts = [
            PowerTransform(exponent=self.concentration0.reciprocal()), AffineTransform(loc=1.0, scale=-1.0),
            PowerTransform(exponent=self.concentration1.reciprocal()),
        ]
        super().__init__(base, parts, validate_args=validate_args)

    def _expand_into(self, new, batch_shape):
        new.concentration1 = self.concentration1.expand(batch_shape)
        new.concentration0 = self.concentration0.expand(batch_shape)
        super()._expand_into(new, batch_shape)

    mean = property(lambda self: _moment(self.concentration1, self.concentration0, 1))

    @property
    def mode(self):
        """The likeliest value."""
        a, b = self.concentration1, self.concentration0
        log_mode = a.reciprocal() * (-b).log1p() - (-a * b).log1p()
        return log_mode.masked_fill((a < 1) | (b < 1), float("nan")).exp()

    @property
    def variance(self):
        """The variance."""
        return _moment(self.concentration1, self.concentration0, 2) - torch.pow(self.mean, 2)

    def entropy(self):
        """The entropy."""
        a, b = self.concentration1, self.concentration0
        harmonic = torch.digamma(b + 1) + euler_constant
        return (1 - b.reciprocal()) + (1 - a.reciprocal()) * harmonic - torch.log(a) - torch.log(b)
