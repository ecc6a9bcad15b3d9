"""Operators on matrices that take any number of them: the samples are one dimension more."""

from ._common import Tensor, Unfit, all_front, front, rule, wrap

_ONE = """
linalg_cholesky linalg_cholesky_ex linalg_det linalg_eig linalg_eigh linalg_eigvals linalg_eigvalsh linalg_inv linalg_inv_ex
linalg_ldl_factor linalg_lu linalg_lu_factor linalg_lu_factor_ex linalg_matrix_exp linalg_matrix_power linalg_pinv linalg_qr
linalg_slogdet linalg_svd linalg_svdvals linalg_matrix_rank linalg_cond matrix_exp matrix_power inverse det logdet slogdet
cholesky pinverse cholesky_inverse svd qr geqrf
"""
_TWO = """
linalg_solve linalg_solve_ex linalg_solve_triangular cholesky_solve linalg_lstsq triangular_solve linalg_householder_product orgqr
"""


@rule(*_ONE.split())
def one_matrix(level, call, args, kwargs):
    """One matrix for each sample."""
    if args[0].dim() < 2 or any(isinstance(a, Tensor) for a in [*args[1:], *kwargs.values()]):
        raise Unfit
    return wrap(call(front(args[0]), *args[1:], **kwargs), level)


@rule(*_TWO.split())
def two_matrices(level, call, args, kwargs):
    """Two for each sample, of as many dimensions."""
    one, two, *rest = args
    lines = two.dim() == 1 and one.dim() == 2 and getattr(call, "__name__", "").startswith("linalg_solve")
    if one.dim() != two.dim() and not lines:
        raise Unfit
    one, two = all_front(one, level), all_front(two, level)
    if not lines:
        return wrap(call(one, two, *rest, **kwargs), level)
    result = call(one, two.unsqueeze(-1), *rest, **kwargs)
    if not isinstance(result, Tensor):
        raise Unfit
    return wrap(result.squeeze(-1), level)


@rule("fft_fft", "fft_ifft", "fft_rfft", "fft_irfft", "fft_hfft", "fft_ihfft")
def fourier(level, call, args, kwargs):
    """Transforms along one dimension, the last unless one is named."""
    dim = args[2] if len(args) > 2 else kwargs.get("dim", -1)
    if args[0].dim() == 0 or not isinstance(dim, int) or not -args[0].dim() <= dim < args[0].dim():
        raise Unfit
    n = args[1] if len(args) > 1 else kwargs.get("n")
    norm = args[3] if len(args) > 3 else kwargs.get("norm")
    return wrap(call(front(args[0]), n, dim % args[0].dim() + 1, norm), level)


@rule("fft_fft2", "fft_ifft2", "fft_rfft2", "fft_irfft2")
def fourier_of_planes(level, call, args, kwargs):
    """Transforms along the last two dimensions."""
    if len(args) > 1 or kwargs or args[0].dim() < 2:
        raise Unfit
    return wrap(call(front(args[0])), level)
