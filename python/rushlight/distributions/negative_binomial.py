"""``torch.distributions.negative_binomial``: how many trials succeed before a number of failures."""

import rushlight as torch

from . import constraints
from .distribution import Distribution
from .gamma import Gamma
from .utils import ProbsOrLogits, lazy_property


class NegativeBinomial(ProbsOrLogits, Distribution):
    """How many trials succeed before a number of failures."""

    arg_constraints = {
        "total_count": constraints.greater_than_eq(0), "probs": constraints.half_open_interval(0.0, 1.0),
        "logits": constraints.real,
    }
    support = constraints.nonnegative_integer

    def __init__(self, total_count, probs=None, logits=None, validate_args=None):
        (count,) = self._keep(probs, logits, total_count)
        self.total_count = count.type_as(self._param)
        super().__init__(self._param.size(), validate_args=validate_args)

    mean = property(lambda self: self.total_count * torch.exp(self.logits))
    variance = property(lambda self: self.mean / torch.sigmoid(-self.logits))

    @property
    def mode(self):
        """The likeliest number."""
        return ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0)

    @lazy_property
    def _gamma(self):
        return Gamma(concentration=self.total_count, rate=torch.exp(-self.logits), validate_args=False)

    def sample(self, sample_shape=torch.Size()):
        """Numbers."""
        with torch.no_grad():
            return torch.poisson(self._gamma.sample(sample_shape=sample_shape))

    def log_prob(self, value):
        """The logarithm of the probability."""
        self._check(value)
        count = self.total_count
        likely = count * torch.nn.functional.logsigmoid(-self.logits) + value * torch.nn.functional.logsigmoid(self.logits)
        ways = -torch.lgamma(count + value) + torch.lgamma(1.0 + value) + torch.lgamma(count)
        ways = ways.masked_fill(count + value == 0.0, 0.0)
        return likely - ways
