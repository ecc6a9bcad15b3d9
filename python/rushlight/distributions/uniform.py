"""``torch.distributions.uniform``: the uniform distribution."""

import rushlight as torch

from . import constraints
from .distribution import Distribution
from .utils import broadcast_all


class Uniform(Distribution):
    """All values between two bounds alike."""

    has_rsample = True

    @property
    def arg_constraints(self):
        """The lower bound is below the upper one."""
        return {"low": constraints.less_than(self.high), "high": constraints.greater_than(self.low)}

    def __init__(self, low, high, validate_args=None):
        self.low, self.high = broadcast_all(low, high)
        super().__init__(self.low.size(), validate_args=validate_args)

    def _expand_into(self, new, batch_shape):
        new.low, new.high = self.low.expand(batch_shape), self.high.expand(batch_shape)

    mean = property(lambda self: (self.high + self.low) / 2)
    stddev = property(lambda self: (self.high - self.low) / 12**0.5)
    variance = property(lambda self: (self.high - self.low).pow(2) / 12)

    @property
    def mode(self):
        """There is none."""
        return torch.full_like(self.high, float("nan"))

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self):
        """Between the bounds."""
        return constraints.interval(self.low, self.high)

    def rsample(self, sample_shape=torch.Size()):
        """Values that are differentiable in the parameters."""
        shape = self._extended_shape(sample_shape)
        rand = torch.rand(shape, dtype=self.low.dtype, device=self.low.device)
        return self.low + rand * (self.high - self.low)

    def log_prob(self, value):
        """The logarithm of the density."""
        self._check(value)
        lb = self.low.le(value).type_as(self.low)
        ub = self.high.gt(value).type_as(self.low)
        return torch.log(lb.mul(ub)) - torch.log(self.high - self.low)

    def cdf(self, value):
        """How likely a value is not larger than this one."""
        self._check(value)
        result = (value - self.low) / (self.high - self.low)
        return result.clamp(min=0, max=1)

    def icdf(self, value):
        """The value of a probability."""
        return value * (self.high - self.low) + self.low

    def entropy(self):
        """The entropy."""
        return torch.log(self.high - self.low)
