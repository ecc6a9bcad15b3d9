"""``torch.distributions.lkj_cholesky``: triangles of random correlations (Lewandowski, Kurowicka, Joe: the onion method)."""

import math

import rushlight as torch

from . import constraints
from .beta import Beta
from .distribution import Distribution
from .utils import broadcast_all


class LKJCholesky(Distribution):
    """Triangles of correlation matrices; a concentration of 1 makes all matrices equally likely, a larger one those near the identity."""

    arg_constraints = {"concentration": constraints.positive}
    support = constraints.corr_cholesky

    def __init__(self, dim, concentration=1.0, validate_args=None):
        if dim < 2:
            raise ValueError(f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}.")
        self.dim = dim
        (self.concentration,) = broadcast_all(concentration)
        super().__init__(self.concentration.size(), torch.Size((dim, dim)), validate_args)
        height = self.concentration + 0.5 * (dim - 2)
        offset = torch.arange(dim - 1, dtype=height.dtype)
        offset = torch.cat([offset.new_zeros(1), offset])
        self._beta = Beta(offset + 0.5, height.unsqueeze(-1) - 0.5 * offset)

    def _expand_into(self, new, batch_shape):
        super()._expand_into(new, batch_shape)
        new.dim, new._beta = self.dim, self._beta.expand(batch_shape + (self.dim,))

    def sample(self, sample_shape=torch.Size()):
        """Triangles."""
        lengths = self._beta.sample(sample_shape).unsqueeze(-1)
        away = torch.randn(self._extended_shape(sample_shape), dtype=lengths.dtype).tril(-1)
        away = away / away.norm(dim=-1, keepdim=True)
        away[..., 0, :] = 0.0
        rows = torch.sqrt(lengths) * away
        smallest = torch.finfo(rows.dtype).tiny
        return rows + torch.clamp(1 - rows.pow(2).sum(-1), min=smallest).sqrt().diag_embed()

    def log_prob(self, value):
        """The logarithm of the density."""
        self._check(value)
        diagonal = value.diagonal(dim1=-1, dim2=-2)[..., 1:]
        order = 2 * (self.concentration - 1).unsqueeze(-1) + self.dim - torch.arange(2, self.dim + 1)
        n = self.dim - 1
        alpha = self.concentration + 0.5 * n
        whole = 0.5 * n * math.log(math.pi) + torch.mvlgamma(alpha - 0.5, n) - torch.lgamma(alpha) * n
        return (order * diagonal.log()).sum(-1) - whole
