"""Ready parametrizations: weight norm, spectral norm and orthogonal matrices."""

import rushlight as torch

from ..._library import publish
from .. import functional as F
from ..modules.module import Module
from . import parametrize

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]


class _WeightNorm(Module):
    """A length times a direction."""

    def __init__(self, dim=0):
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g, weight_v):
        return torch._weight_norm(weight_v, weight_g, self.dim)

    def right_inverse(self, weight):
        return torch.norm_except_dim(weight, 2, self.dim), weight


def weight_norm(module, name="weight", dim=0):
    """Takes a weight apart into its length and its direction."""
    parametrize.register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def read_older_names(state_dict, prefix, *_):
        """Length and direction have other names in states of the older ``weight_norm``."""
        for old, new in (("g", 0), ("v", 1)):
            key = f"{prefix}{name}_{old}"
            if key in state_dict:
                state_dict[f"{prefix}parametrizations.{name}.original{new}"] = state_dict.pop(key)

    module._register_load_state_dict_pre_hook(read_older_names)
    return module


class _SpectralNorm(Module):
    """A matrix divided by its largest singular value, which power iteration finds."""

    _FIRST_STEPS = 15

    def __init__(self, weight, n_power_iterations=1, dim=0, eps=1e-12):
        super().__init__()
        rank = weight.dim()
        if not -rank <= dim < rank:
            raise IndexError(f"Dimension out of range (expected to be in range of [-{rank}, {rank - 1}] but got {dim})")
        if n_power_iterations <= 0:
            raise ValueError(f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}")
        self.dim = dim if dim >= 0 else dim + rank
        self.eps = eps
        if rank > 1:
            self.n_power_iterations = n_power_iterations
            matrix = self._as_matrix(weight)
            rows, columns = matrix.size()
            u = matrix.new_empty(rows).normal_(0, 1)
            v = matrix.new_empty(columns).normal_(0, 1)
            self.register_buffer("_u", F.normalize(u, dim=0, eps=self.eps))
            self.register_buffer("_v", F.normalize(v, dim=0, eps=self.eps))
            self._iterate(matrix, self._FIRST_STEPS)

    def _as_matrix(self, weight):
        if self.dim != 0:
            weight = weight.permute(self.dim, *(d for d in range(weight.dim()) if d != self.dim))
        return weight.flatten(1)

    @torch.no_grad()
    def _iterate(self, matrix, steps):
        """Brings the singular vectors closer to the largest singular value's."""
        for _ in range(steps):
            self._u = F.normalize(torch.mv(matrix, self._v), dim=0, eps=self.eps, out=self._u)
            self._v = F.normalize(torch.mv(matrix.H, self._u), dim=0, eps=self.eps, out=self._v)

    def forward(self, weight):
        if weight.dim() == 1:
            return F.normalize(weight, dim=0, eps=self.eps)
        matrix = self._as_matrix(weight)
        if self.training:
            self._iterate(matrix, self.n_power_iterations)
        sigma = torch.vdot(self._u.clone(), torch.mv(matrix, self._v.clone()))
        return weight / sigma

    def right_inverse(self, value):
        return value


def spectral_norm(module, name="weight", n_power_iterations=1, eps=1e-12, dim=None):
    """Divides a weight by its largest singular value."""
    if not hasattr(module, name):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    weight = getattr(module, name)
    if dim is None:
        transposed = type(module).__name__.removeprefix("Parametrized").startswith("ConvTranspose")
        dim = 1 if transposed else 0
    step = _SpectralNorm(weight, n_power_iterations, dim, eps)
    parametrize.register_parametrization(module, name, step)
    return module


def _wide(matrix):
    """Whether a matrix has more columns than rows: such are computed transposed."""
    return matrix.size(-2) < matrix.size(-1)


def _skew(lower):
    """A square skew-Hermitian matrix made of the lower triangle of a matrix."""
    lower = lower.tril()
    rows, columns = lower.size(-2), lower.size(-1)
    if rows != columns:
        rest = lower.new_zeros(rows, rows - columns).expand(*lower.shape[:-2], -1, -1)
        lower = torch.cat([lower, rest], dim=-1)
    return lower - lower.mH


def _nearest_by_reflections(matrix):
    """The orthogonal matrix of a QR decomposition whose other factor has a positive diagonal."""
    reflectors, scales = torch.geqrf(matrix)
    diagonal = reflectors.diagonal(dim1=-2, dim2=-1)
    # Columns that depend on others leave nothing but rounding, which may be nothing at all.
    lost = (diagonal == 0) & (matrix != 0).any(dim=-2)
    signs = torch.where(lost, torch.ones_like(diagonal), diagonal.sgn())
    return torch.linalg.householder_product(reflectors, scales) * signs.unsqueeze(-2)


def _is_orthogonal(matrix, tolerance=10.0):
    columns = matrix.size(-1)
    one = torch.eye(columns, dtype=matrix.dtype, device=matrix.device)
    bound = tolerance * columns * torch.finfo(matrix.dtype).eps
    return torch.allclose(matrix.mH @ matrix, one, atol=bound)


class _Orthogonal(Module):
    """An orthogonal (or unitary) matrix, made of any matrix by a map onto such matrices."""

    def __init__(self, weight, orthogonal_map, use_trivialization=True):
        super().__init__()
        if weight.is_complex() and orthogonal_map == "householder":
            raise ValueError("The householder parametrization does not support complex tensors.")
        self.shape = weight.shape
        self.orthogonal_map = orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, matrix):
        wide = _wide(matrix)
        if wide:
            matrix = matrix.mT
        rows, columns = matrix.size(-2), matrix.size(-1)
        if self.orthogonal_map == "householder":
            reflectors = matrix.tril(diagonal=-1)
            scales = 2.0 / (1.0 + (reflectors * reflectors).sum(dim=-2))
            result = torch.linalg.householder_product(reflectors, scales)
            result = result * matrix.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)
        else:
            result = self._rotation(_skew(matrix))
            if rows != columns:
                result = result[..., :columns]
        if hasattr(self, "base"):
            result = self.base @ result
        return result.mT if wide else result

    def _rotation(self, skew):
        if self.orthogonal_map == "matrix_exp":
            return torch.matrix_exp(skew)
        one = torch.eye(skew.size(-1), dtype=skew.dtype, device=skew.device)
        return torch.linalg.solve(torch.add(one, skew, alpha=-0.5), torch.add(one, skew, alpha=0.5))

    def right_inverse(self, value):
        if value.shape != self.shape:
            raise ValueError(
                f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of shape {value.shape}."
            )
        start = value
        wide = _wide(value)
        if wide:
            value = value.mT
        if hasattr(self, "base"):
            self.base = self._base(value)
            start = torch.zeros_like(start)
            start.diagonal(dim1=-2, dim2=-1).fill_(-1.0)
            return start
        if self.orthogonal_map != "householder":
            raise NotImplementedError(
                "It is not possible to assign to the matrix exponential or the Cayley parametrizations when "
                "use_trivialization=False."
            )
        reflectors, scales = torch.geqrf(value)
        signs = reflectors.diagonal(dim1=-2, dim2=-1)
        signs.sign_()
        signs[scales == 0.0] *= -1
        return reflectors.mT if wide else reflectors

    def _base(self, value):
        """A square orthogonal matrix whose first columns are those of the value, made orthogonal."""
        rows, columns = value.size(-2), value.size(-1)
        if rows == columns:
            return value.clone() if _is_orthogonal(value) else _nearest_by_reflections(value)
        rest = torch.randn(*value.size()[:-2], rows, rows - columns, dtype=value.dtype, device=value.device)
        return _nearest_by_reflections(torch.cat([value, rest], dim=-1))


_MAPS = ("matrix_exp", "cayley", "householder")


def orthogonal(module, name="weight", orthogonal_map=None, *, use_trivialization=True):
    """Keeps a weight orthogonal."""
    weight = getattr(module, name, None)
    if not isinstance(weight, torch.Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if weight.ndim < 2:
        raise ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions.")
    if orthogonal_map is None:
        square = weight.size(-2) == weight.size(-1)
        orthogonal_map = "matrix_exp" if square or weight.is_complex() else "householder"
    if orthogonal_map not in _MAPS:
        known = ", ".join(f'"{m}"' for m in _MAPS)
        raise ValueError(f"orthogonal_map has to be one of {known}. Got: {orthogonal_map}")
    step = _Orthogonal(weight, orthogonal_map, use_trivialization)
    parametrize.register_parametrization(module, name, step, unsafe=True)
    return module


publish(globals())
