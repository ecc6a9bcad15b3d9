"""``torch.distributions.gamma``: the gamma distribution."""

import rushlight as torch

from . import constraints
from .exp_family import ExponentialFamily
from .utils import broadcast_all


def _standard_gamma(concentration, generator=None):
    return torch._standard_gamma(concentration, generator=generator)


class Gamma(ExponentialFamily):
    """The gamma distribution of a concentration and a rate."""

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True

    def __init__(self, concentration, rate, validate_args=None):
        self.concentration, self.rate = broadcast_all(concentration, rate)
        super().__init__(self.concentration.size(), validate_args=validate_args)

    mean = property(lambda self: self.concentration / self.rate)
    mode = property(lambda self: ((self.concentration - 1) / self.rate).clamp(min=0))
    variance = property(lambda self: self.concentration / self.rate.pow(2))

    def sample(self, sample_shape=torch.Size(), *, generator=None):
        """Values, of a random stream of one's own if one is given."""
        with torch.no_grad():
            return self.rsample(sample_shape, generator)

    def rsample(self, sample_shape=torch.Size(), generator=None):
        """Values that are differentiable in the rate."""
        shape = self._extended_shape(sample_shape)
        value = _standard_gamma(self.concentration.expand(shape), generator) / self.rate.expand(shape)
        value.detach().clamp_(min=torch.finfo(value.dtype).tiny)
        return value

    def log_prob(self, value):
        """The logarithm of the density."""
        value = torch.as_tensor(value, dtype=self.rate.dtype, device=self.rate.device)
        self._check(value)
        return (
            torch.xlogy(self.concentration, self.rate) + torch.xlogy(self.concentration - 1, value)
            - self.rate * value - torch.lgamma(self.concentration)
        )

    def entropy(self):
        """The entropy."""
        a = self.concentration
        return a - torch.log(self.rate) + torch.lgamma(a) + (1.0 - a) * torch.digamma(a)

    def cdf(self, value):
        """How likely a value is not larger than this one."""
        self._check(value)
        return torch.special.gammainc(self.concentration, self.rate * value)
