"""``torch.distributions.gumbel``: the Gumbel distribution."""

import math

import rushlight as torch

from . import constraints
from .transformed_distribution import TransformedDistribution
from .transforms import AffineTransform, ExpTransform
from .uniform import Uniform
from .utils import broadcast_all, euler_constant


class Gumbel(TransformedDistribution):
    """The largest of many values."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real

    def __init__(self, loc, scale, validate_args=None):
        self.loc, self.scale = broadcast_all(loc, scale)
        info = torch.finfo(self.loc.dtype)
        low = torch.full_like(self.loc, info.tiny)
        base = Uniform(low, torch.full_like(self.loc, 1 - info.eps), validate_args=validate_args)
        # Minus the logarithm, twice.
        parts = [ExpTransform().inv, AffineTransform(loc=0, scale=-torch.ones_like(self.scale)), ExpTransform().inv]
        parts.append(AffineTransform(loc=self.loc, scale=-self.scale))
        super().__init__(base, parts, validate_args=validate_args)

    def _expand_into(self, new, batch_shape):
        new.loc, new.scale = self.loc.expand(batch_shape), self.scale.expand(batch_shape)
        super()._expand_into(new, batch_shape)

    mean = property(lambda self: self.loc + self.scale * euler_constant)
    mode = property(lambda self: self.loc)
    stddev = property(lambda self: (math.pi / math.sqrt(6)) * self.scale)
    variance = property(lambda self: self.stddev.pow(2))

    def log_prob(self, value):
        """The logarithm of the density."""
        self._check(value)
        y = (self.loc - value) / self.scale
        return (y - y.exp()) - self.scale.log()

    def entropy(self):
        """The entropy."""
        return self.scale.log() + (1 + euler_constant)
