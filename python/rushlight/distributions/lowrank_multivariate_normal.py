"""``torch.distributions.lowrank_multivariate_normal``: the normal distribution of a few factors and noise of its own for each dimension."""

import math

import rushlight as torch

from . import constraints
from .distribution import Distribution
from .multivariate_normal import _batch_mv
from .utils import _standard_normal, lazy_property


def _capacitance(factor, diagonal):
    """The triangle of what remains for the factors: 1 + W^T D^-1 W."""
    scaled = factor.mT / diagonal.unsqueeze(-2)
    inner = torch.matmul(scaled, factor)
    return torch.linalg.cholesky(inner + torch.eye(factor.shape[-1], dtype=factor.dtype))


class LowRankMultivariateNormal(Distribution):
    """The normal distribution whose covariance is ``cov_factor @ cov_factor.T + diag(cov_diag)``."""

    arg_constraints = {
        "loc": constraints.real_vector, "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }
    support = constraints.real_vector
    has_rsample = True

    def __init__(self, loc, cov_factor, cov_diag, validate_args=None):
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        event_shape = loc.shape[-1:]
        if cov_factor.dim() < 2:
            raise ValueError("cov_factor must be at least two-dimensional, with optional leading batch dimensions")
        if cov_factor.shape[-2:-1] != event_shape:
            raise ValueError(f"cov_factor must be a batch of matrices with shape {event_shape[0]} x m")
        if cov_diag.shape[-1:] != event_shape:
            raise ValueError(f"cov_diag must be a batch of vectors with shape {event_shape}")
        batch_shape = torch.broadcast_shapes(loc.shape[:-1], cov_factor.shape[:-2], cov_diag.shape[:-1])
        self.loc = loc.expand(batch_shape + event_shape)
        self.cov_diag = cov_diag.expand(batch_shape + event_shape)
        self.cov_factor = cov_factor.expand(batch_shape + cov_factor.shape[-2:])
        self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag = cov_factor, cov_diag
        self._capacitance_tril = _capacitance(cov_factor, cov_diag)
        super().__init__(batch_shape, event_shape, validate_args=validate_args)

    def _expand_into(self, new, batch_shape):
        super()._expand_into(new, batch_shape)
        for name in ("_unbroadcasted_cov_factor", "_unbroadcasted_cov_diag", "_capacitance_tril"):
            setattr(new, name, getattr(self, name))

    mean = property(lambda self: self.loc)
    mode = property(lambda self: self.loc)

    def _full(self, matrix):
        return matrix.expand(self._batch_shape + self._event_shape + self._event_shape)

    @lazy_property
    def variance(self):
        """The variance of each dimension."""
        whole = self._unbroadcasted_cov_factor.pow(2).sum(-1) + self._unbroadcasted_cov_diag
        return whole.expand(self._batch_shape + self._event_shape)

    @lazy_property
    def covariance_matrix(self):
        """The covariance."""
        factor = self._unbroadcasted_cov_factor
        return self._full(torch.matmul(factor, factor.mT) + torch.diag_embed(self._unbroadcasted_cov_diag))

    @lazy_property
    def scale_tril(self):
        """The triangle whose square is the covariance."""
        return self._full(torch.linalg.cholesky(self.covariance_matrix))

    @lazy_property
    def precision_matrix(self):
        """The inverse of the covariance."""
        scaled = self._unbroadcasted_cov_factor.mT / self._unbroadcasted_cov_diag.unsqueeze(-2)
        solved = torch.linalg.solve_triangular(self._capacitance_tril, scaled, upper=False)
        return self._full(torch.diag_embed(self._unbroadcasted_cov_diag.reciprocal()) - torch.matmul(solved.mT, solved))

    def rsample(self, sample_shape=torch.Size()):
        """Values that are differentiable in the parameters."""
        shape = self._extended_shape(sample_shape)
        factors = _standard_normal(shape[:-1] + self.cov_factor.shape[-1:], dtype=self.loc.dtype, device=self.loc.device)
        own = _standard_normal(shape, dtype=self.loc.dtype, device=self.loc.device)
        return self.loc + _batch_mv(self._unbroadcasted_cov_factor, factors) + self._unbroadcasted_cov_diag.sqrt() * own

    def _log_det(self):
        inner = self._capacitance_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)
        return 2 * inner + self._unbroadcasted_cov_diag.log().sum(-1)

    def log_prob(self, value):
        """The logarithm of the density."""
        self._check(value)
        away = value - self.loc
        scaled = _batch_mv(self._unbroadcasted_cov_factor.mT / self._unbroadcasted_cov_diag.unsqueeze(-2), away)
        shape = torch.broadcast_shapes(self._capacitance_tril.shape[:-2], scaled.shape[:-1])
        lower = self._capacitance_tril.expand(shape + self._capacitance_tril.shape[-2:])
        solved = torch.linalg.solve_triangular(lower, scaled.expand(shape + scaled.shape[-1:]).unsqueeze(-1), upper=False)
        length = (away.pow(2) / self._unbroadcasted_cov_diag).sum(-1) - solved.squeeze(-1).pow(2).sum(-1)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + self._log_det() + length)

    def entropy(self):
        """The entropy."""
        entropy = 0.5 * (self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + self._log_det())
        return entropy.expand(self._batch_shape)
