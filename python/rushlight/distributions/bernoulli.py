"""``torch.distributions.bernoulli``: the Bernoulli distribution."""

import rushlight as torch

from . import constraints
from ..nn.functional import binary_cross_entropy_with_logits
from .exp_family import ExponentialFamily
from .utils import ProbsOrLogits, broadcast_all


class Bernoulli(ProbsOrLogits, ExponentialFamily):
    """1 with a probability, else 0."""

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.boolean
    has_enumerate_support = True

    def __init__(self, probs=None, logits=None, validate_args=None):
        self._keep(probs, logits)
        super().__init__(self._param.size(), validate_args=validate_args)

    mean = property(lambda self: self.probs)
    variance = property(lambda self: self.probs * (1 - self.probs))

    @property
    def mode(self):
        """The likelier value; none where both are alike."""
        return (self.probs >= 0.5).to(self.probs).masked_fill(self.probs == 0.5, float("nan"))

    def sample(self, sample_shape=torch.Size()):
        """Values."""
        with torch.no_grad():
            return torch.bernoulli(self.probs.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value):
        """The logarithm of the probability."""
        self._check(value)
        logits, value = broadcast_all(self.logits, value)
        return -binary_cross_entropy_with_logits(logits, value, reduction="none")

    def entropy(self):
        """The entropy."""
        return binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")

    def enumerate_support(self, expand=True):
        """0 and 1."""
        values = torch.arange(2, dtype=self._param.dtype, device=self._param.device)
        return self._enumerated(values, expand)
