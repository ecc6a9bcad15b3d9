"""``torch.distributions.studentT``: Student's t-distribution."""

import math

import rushlight as torch

from . import constraints
from .chi2 import Chi2
from .distribution import Distribution
from .utils import _standard_normal, broadcast_all


class StudentT(Distribution):
    """The mean of few normal values, by how many degrees of freedom there are."""

    arg_constraints = {"df": constraints.positive, "loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(self, df, loc=0.0, scale=1.0, validate_args=None):
        self.df, self.loc, self.scale = broadcast_all(df, loc, scale)
        self._chi2 = Chi2(self.df)
        super().__init__(self.df.size(), validate_args=validate_args)

    def _expand_into(self, new, batch_shape):
        super()._expand_into(new, batch_shape)
        new._chi2 = self._chi2.expand(batch_shape)

    mode = property(lambda self: self.loc)

    @property
    def mean(self):
        """The mean, where there is one."""
        m = self.loc.clone(memory_format=torch.contiguous_format)
        m[self.df <= 1] = float("nan")
        return m

    @property
    def variance(self):
        """The variance, where there is one."""
        many = self.scale.pow(2) * self.df / (self.df - 2)
        found = torch.where(self.df > 2, many, torch.full_like(self.df, float("inf")))
        return found.masked_fill_(self.df <= 1, float("nan"))

    def rsample(self, sample_shape=torch.Size()):
        """Values that are differentiable in place and scale."""
        shape = self._extended_shape(sample_shape)
        X = _standard_normal(shape, dtype=self.df.dtype, device=self.df.device)
        Z = self._chi2.rsample(sample_shape)
        Y = X * torch.rsqrt(Z / self.df)
        return self.loc + self.scale * Y

    def log_prob(self, value):
        """The logarithm of the density."""
        self._check(value)
        y = (value - self.loc) / self.scale
        Z = (
            self.scale.log() + 0.5 * self.df.log() + 0.5 * math.log(math.pi) + torch.lgamma(0.5 * self.df)
            - torch.lgamma(0.5 * (self.df + 1.0))
        )
        return -0.5 * (self.df + 1.0) * torch.log1p(y**2.0 / self.df) - Z

    def entropy(self):
        """The entropy."""
        lbeta = torch.lgamma(0.5 * self.df) + math.lgamma(0.5) - torch.lgamma(0.5 * (self.df + 1))
        return (
            self.scale.log()
            + 0.5 * (self.df + 1) * (torch.digamma(0.5 * (self.df + 1)) - torch.digamma(0.5 * self.df))
            + 0.5 * self.df.log()
            + lbeta
        )
