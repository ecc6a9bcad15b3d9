"""``torch.distributions.pareto``: the Pareto distribution."""

from . import constraints
from .exponential import Exponential
from .transformed_distribution import TransformedDistribution
from .transforms import AffineTransform, ExpTransform
from .utils import broadcast_all


class Pareto(TransformedDistribution):
    """Few large values and many small ones."""

    arg_constraints = {"alpha": constraints.positive, "scale": constraints.positive}

    def __init__(self, scale, alpha, validate_args=None):
        self.scale, self.alpha = broadcast_all(scale, alpha)
        base = Exponential(self.alpha, validate_args=validate_args)
        parts = [ExpTransform(), AffineTransform(loc=0, scale=self.scale)]
        super().__init__(base, parts, validate_args=validate_args)

    def _expand_into(self, new, batch_shape):
        new.scale, new.alpha = self.scale.expand(batch_shape), self.alpha.expand(batch_shape)
        super()._expand_into(new, batch_shape)

    @property
    def mean(self):
        """The mean, where there is one."""
        a = self.alpha.clamp(min=1)
        return a * self.scale / (a - 1)

    mode = property(lambda self: self.scale)

    @property
    def variance(self):
        """The variance, where there is one."""
        a = self.alpha.clamp(min=2)
        return self.scale.pow(2) * a / ((a - 1).pow(2) * (a - 2))

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self):
        """From the scale on."""
        return constraints.greater_than_eq(self.scale)

    def entropy(self):
        """The entropy."""
        return (self.scale / self.alpha).log() + (1 + self.alpha.reciprocal())
