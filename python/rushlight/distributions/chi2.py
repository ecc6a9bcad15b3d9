"""``torch.distributions.chi2``: the chi-squared distribution."""

from . import constraints
from .gamma import Gamma


class Chi2(Gamma):
    """The sum of the squares of so many normal values."""

    arg_constraints = {"df": constraints.positive}

    def __init__(self, df, validate_args=None):
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    def _expand_into(self, new, batch_shape):
        new.concentration, new.rate = self.concentration.expand(batch_shape), self.rate.expand(batch_shape)

    df = property(lambda self: self.concentration * 2)
