"""``torch.distributions.generalized_pareto``: what lies above a threshold, with a tail of any weight."""

import math

import rushlight as torch

from . import constraints
from .distribution import Distribution
from .utils import broadcast_all


class GeneralizedPareto(Distribution):
    """Values from ``loc`` on; a concentration of 0 is the exponential distribution, a negative one ends."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive, "concentration": constraints.real}
    has_rsample = True

    def __init__(self, loc, scale, concentration, validate_args=None):
        self.loc, self.scale, self.concentration = broadcast_all(loc, scale, concentration)
        super().__init__(self.loc.size(), validate_args=validate_args)

    def _flat(self):
        """Where the concentration counts as 0, and the concentration with 1 there."""
        flat = torch.isclose(self.concentration, torch.tensor(0.0, dtype=self.concentration.dtype))
        return flat, torch.where(flat, torch.ones_like(self.concentration), self.concentration)

    def rsample(self, sample_shape=torch.Size()):
        """Values that are differentiable in the parameters."""
        return self.icdf(torch.rand(self._extended_shape(sample_shape), dtype=self.loc.dtype))

    def log_survival_function(self, value):
        """The logarithm of how likely a value is larger than this one."""
        self._check(value)
        flat, shape = self._flat()
        z = (value - self.loc) / self.scale
        return torch.where(flat, -z, -torch.log1p(shape * z) / shape)

    def cdf(self, value):
        """How likely a value is not larger than this one."""
        return -torch.expm1(self.log_survival_function(value))

    def log_cdf(self, value):
        """The logarithm of :meth:`cdf`."""
        return torch.log1p(-torch.exp(self.log_survival_function(value)))

    def log_prob(self, value):
        """The logarithm of the density."""
        self._check(value)
        flat, shape = self._flat()
        z = (value - self.loc) / self.scale
        return torch.where(flat, -z, -(1 + 1 / shape) * torch.log1p(shape * z)) - self.scale.log()

    def icdf(self, value):
        """The value of a probability."""
        flat, shape = self._flat()
        log_left = torch.log1p(-value)
        return self.loc + self.scale * torch.where(flat, -log_left, torch.expm1(-shape * log_left) / shape)

    @property
    def mean(self):
        """The mean; not a number for heavy tails."""
        inside = self.concentration < 1
        shape = torch.where(inside, self.concentration, torch.full_like(self.concentration, 0.5))
        return torch.where(inside, self.loc + self.scale / (1 - shape), torch.full_like(self.loc, math.nan))

    @property
    def variance(self):
        """The variance; not a number for heavy tails."""
        inside = self.concentration < 0.5
        shape = torch.where(inside, self.concentration, torch.full_like(self.concentration, 0.25))
        return torch.where(inside, self.scale.pow(2) / ((1 - shape).pow(2) * (1 - 2 * shape)), torch.full_like(self.loc, math.nan))

    def entropy(self):
        """The entropy."""
        return (self.scale.log() + self.concentration + 1).expand(self._batch_shape)

    mode = property(lambda self: self.loc)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self):
        """From ``loc`` on, for negative concentrations to where the tail ends."""
        upper = torch.where(self.concentration < 0, self.loc - self.scale / self.concentration, torch.full_like(self.loc, math.inf))
        return constraints.interval(self.loc, upper)
