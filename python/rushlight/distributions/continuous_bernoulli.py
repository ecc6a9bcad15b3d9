"""``torch.distributions.continuous_bernoulli``: numbers between 0 and 1 with a density that falls or rises exponentially."""

import math

import rushlight as torch

from . import constraints
from .exp_family import ExponentialFamily
from .utils import broadcast_all, check_one_of, clamp_probs, lazy_property, logits_to_probs, probs_to_logits


class ContinuousBernoulli(ExponentialFamily):
    """Numbers between 0 and 1; ``probs`` or ``logits`` say towards which end. Within ``lims`` Taylor's series are used."""

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    has_rsample = True

    def __init__(self, probs=None, logits=None, lims=(0.499, 0.501), validate_args=None):
        check_one_of(probs=probs, logits=logits)
        if probs is not None:
            (self.probs,) = broadcast_all(probs)
            self.probs = clamp_probs(self.probs)
        else:
            (self.logits,) = broadcast_all(logits)
        self._lims = lims
        super().__init__((self.probs if probs is not None else self.logits).size(), validate_args=validate_args)

    def _expand_into(self, new, batch_shape):
        super()._expand_into(new, batch_shape)
        new._lims = self._lims

    @lazy_property
    def logits(self):
        """The logarithm of the odds."""
        return probs_to_logits(self.probs, is_binary=True)

    @lazy_property
    def probs(self):
        """The parameter as a probability."""
        return clamp_probs(logits_to_probs(self.logits, is_binary=True))

    def _stable(self):
        """Where the formulas hold, and the parameter with another one where they do not."""
        outside = (self.probs <= self._lims[0]) | (self.probs > self._lims[1])
        return outside, torch.where(outside, self.probs, self._lims[0] * torch.ones_like(self.probs))

    def _log_norm(self):
        outside, cut = self._stable()
        low = torch.where(cut <= 0.5, cut, torch.zeros_like(cut))
        high = torch.where(cut >= 0.5, cut, torch.ones_like(cut))
        exact = torch.log((torch.log1p(-cut) - torch.log(cut)).abs()) - torch.where(
            cut <= 0.5, torch.log1p(-2 * low), torch.log(2 * high - 1)
        )
        x = (self.probs - 0.5).pow(2)
        return torch.where(outside, exact, math.log(2) + (4 / 3 + 104 / 45 * x) * x)

    @property
    def mean(self):
        """The mean."""
        outside, cut = self._stable()
        exact = cut / (2 * cut - 1) + 1 / (torch.log1p(-cut) - torch.log(cut))
        x = self.probs - 0.5
        return torch.where(outside, exact, 0.5 + (1 / 3 + 16 / 45 * x.pow(2)) * x)

    @property
    def variance(self):
        """The variance."""
        outside, cut = self._stable()
        exact = cut * (cut - 1) / (1 - 2 * cut).pow(2) + 1 / (torch.log1p(-cut) - torch.log(cut)).pow(2)
        x = (self.probs - 0.5).pow(2)
        return torch.where(outside, exact, 1 / 12 - (1 / 15 - 128 / 945 * x) * x)

    stddev = property(lambda self: torch.sqrt(self.variance))
    param_shape = property(lambda self: self._batch_shape)

    def rsample(self, sample_shape=torch.Size()):
        """Values that are differentiable in the parameter."""
        return self.icdf(torch.rand(self._extended_shape(sample_shape), dtype=self.probs.dtype))

    def sample(self, sample_shape=torch.Size()):
        """Values."""
        with torch.no_grad():
            return self.rsample(sample_shape)

    def log_prob(self, value):
        """The logarithm of the density."""
        self._check(value)
        logits, value = broadcast_all(self.logits, value)
        return -torch.nn.functional.binary_cross_entropy_with_logits(logits, value, reduction="none") + self._log_norm()

    def cdf(self, value):
        """How likely a value is not larger than this one."""
        self._check(value)
        outside, cut = self._stable()
        exact = (cut.pow(value) * (1 - cut).pow(1 - value) + cut - 1) / (2 * cut - 1)
        result = torch.where(outside, exact, value)
        return torch.where(value <= 0, torch.zeros_like(result), torch.where(value >= 1, torch.ones_like(result), result))

    def icdf(self, value):
        """The value of a probability."""
        outside, cut = self._stable()
        exact = (torch.log1p(-cut + value * (2 * cut - 1)) - torch.log1p(-cut)) / (torch.log(cut) - torch.log1p(-cut))
        return torch.where(outside, exact, value)

    def entropy(self):
        """The entropy."""
        log_low, log_high = torch.log1p(-self.probs), torch.log(self.probs)
        return self.mean * (log_low - log_high) - self._log_norm() - log_low
