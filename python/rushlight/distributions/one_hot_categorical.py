"""``torch.distributions.one_hot_categorical``: one of several values, as a row with a single 1."""

import rushlight as torch

from . import constraints
from ..nn.functional import one_hot
from .categorical import Categorical
from .distribution import Distribution


class OneHotCategorical(Distribution):
    """A row of zeros with a 1 for one of several possibilities."""

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.one_hot
    has_enumerate_support = True

    def __init__(self, probs=None, logits=None, validate_args=None):
        self._categorical = Categorical(probs, logits, validate_args=validate_args)
        batch_shape = self._categorical.batch_shape
        super().__init__(batch_shape, self._categorical.param_shape[-1:], validate_args=validate_args)

    def _expand_into(self, new, batch_shape):
        new._categorical = self._categorical.expand(batch_shape)

    probs = property(lambda self: self._categorical.probs)
    logits = property(lambda self: self._categorical.logits)
    mean = property(lambda self: self._categorical.probs)
    variance = property(lambda self: self.probs * (1 - self.probs))
    param_shape = property(lambda self: self._categorical.param_shape)

    @property
    def mode(self):
        """The likeliest row."""
        return one_hot(self.probs.argmax(-1), self.probs.shape[-1]).to(self.probs)

    def sample(self, sample_shape=torch.Size()):
        """Rows."""
        num_events = self._categorical._num_events
        indices = self._categorical.sample(sample_shape)
        return one_hot(indices, num_events).to(self.probs)

    def log_prob(self, value):
        """The logarithm of the probability."""
        self._check(value)
        return self._categorical.log_prob(value.max(-1)[1])

    def entropy(self):
        """The entropy."""
        return self._categorical.entropy()

    def enumerate_support(self, expand=True):
        """All rows."""
        n = self._event_shape[0]
        values = torch.eye(n, dtype=self.probs.dtype, device=self.probs.device)
        values = values.view((n,) + (1,) * len(self._batch_shape) + (n,))
        return values.expand((n,) + self._batch_shape + (n,)) if expand else values


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """Rows whose gradients are those of the probabilities."""

    has_rsample = True

    def rsample(self, sample_shape=torch.Size()):
        """Rows with gradients."""
        samples = self.sample(sample_shape)
        probs = self._categorical.probs
        return samples + (probs - probs.detach())
