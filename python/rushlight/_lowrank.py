"""Singular values of large matrices, approximately: from the products with a few random vectors (Halko, Martinsson, Tropp)."""

import rushlight as torch

__all__ = ["get_approximate_basis", "svd_lowrank", "pca_lowrank"]


def _times(A, M, x, transposed=False):
    """(A - M) x, or its transpose."""
    if transposed:
        result = torch.matmul(A.mH, x)
        return result if M is None else result - torch.matmul(M.mH, x)
    result = torch.matmul(A, x)
    return result if M is None else result - torch.matmul(M, x)


def get_approximate_basis(A, q, niter=2, M=None):
    """Columns that span most of what a matrix gives.

    Args:
        A: [*, m, n]. q: how many columns. niter: how often they are refined. M: what is taken from ``A`` first.

    Returns:
        [*, m, q], with orthonormal columns.
    """
    dtype = A.dtype if A.is_floating_point() or A.is_complex() else torch.float32
    columns = torch.randn(A.shape[-1], q, dtype=dtype)
    basis = torch.linalg.qr(_times(A, M, columns)).Q
    for _ in range(2 if niter is None else niter):
        back = torch.linalg.qr(_times(A, M, basis, transposed=True)).Q
        basis = torch.linalg.qr(_times(A, M, back)).Q
    return basis


def svd_lowrank(A, q=6, niter=2, M=None):
    """The largest singular values, about: ``(U, S, V)`` with ``A - M`` near ``U diag(S) V^T``; sizes [*, m, q], [*, q], [*, n, q]."""
    q = 6 if q is None else q
    m, n = A.shape[-2:]
    if M is not None:
        M = M.broadcast_to(A.shape)
    if m < n or n > q:
        flip = m < n
        work, minus = (A.mH, None if M is None else M.mH) if flip else (A, M)
        basis = get_approximate_basis(work, q, niter, minus)
        small = _times(work, minus, basis, transposed=True).mH
        U, S, Vh = torch.linalg.svd(small, full_matrices=False)
        U, V = torch.matmul(basis, U), Vh.mH
        return (V, S, U) if flip else (U, S, V)
    U, S, Vh = torch.linalg.svd(A if M is None else A - M, full_matrices=False)
    return U, S, Vh.mH


def pca_lowrank(A, q=None, center=True, niter=2):
    """The main directions of rows, about: :func:`svd_lowrank` of the matrix, less the mean of its rows if ``center``."""
    m, n = A.shape[-2:]
    if q is None:
        q = min(6, m, n)
    elif not 0 <= q <= min(m, n):
        raise ValueError(f"q(={q}) must be non-negative integer and not greater than min(m, n)={min(m, n)}")
    if niter < 0:
        raise ValueError(f"niter(={niter}) must be non-negative integer")
    return svd_lowrank(A - A.mean(dim=-2, keepdim=True) if center else A, q, niter=niter)
