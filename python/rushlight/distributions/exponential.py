"""``torch.distributions.exponential``: the exponential distribution."""

import rushlight as torch

from . import constraints
from .exp_family import ExponentialFamily
from .utils import broadcast_all


class Exponential(ExponentialFamily):
    """The time until something happens at a rate."""

    arg_constraints = {"rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True

    def __init__(self, rate, validate_args=None):
        (self.rate,) = broadcast_all(rate)
        super().__init__(self.rate.size(), validate_args=validate_args)

    mean = property(lambda self: self.rate.reciprocal())
    mode = property(lambda self: torch.zeros_like(self.rate))
    stddev = property(lambda self: self.rate.reciprocal())
    variance = property(lambda self: self.rate.pow(-2))

    def rsample(self, sample_shape=torch.Size()):
        """Values that are differentiable in the parameters."""
        return self.rate.new(self._extended_shape(sample_shape)).exponential_() / self.rate

    def log_prob(self, value):
        """The logarithm of the density."""
        self._check(value)
        return self.rate.log() - self.rate * value

    def cdf(self, value):
        """How likely a value is not larger than this one."""
        self._check(value)
        return 1 - torch.exp(-self.rate * value)

    def icdf(self, value):
        """The value of a probability."""
        return -torch.log1p(-value) / self.rate

    def entropy(self):
        """The entropy."""
        return 1.0 - torch.log(self.rate)
