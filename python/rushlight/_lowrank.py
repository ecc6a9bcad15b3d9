"""Singular values and eigenvalues of large matrices from products with a few vectors.

Singular values by random vectors (Halko, Martinsson, Tropp), eigenvalues of symmetric matrices by the locally optimal block
preconditioned conjugate gradient method (Knyazev).
"""

import rushlight as torch

__all__ = ["get_approximate_basis", "svd_lowrank", "pca_lowrank", "lobpcg"]


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


def lobpcg(
    A, k=None, B=None, X=None, n=None, iK=None, niter=None, tol=None, largest=None, method=None, tracker=None, ortho_iparams=None,
    ortho_fparams=None, ortho_bparams=None,
):
    """The largest or smallest eigenvalues of a symmetric matrix, or of ``A x = e B x``, and their vectors.

    Gradients flow through the eigenvalues, not through the vectors.

    Args:
        A: [*, m, m]. k: how many are wanted. B: [*, m, m], positive. X: [*, m, n], where to begin; random unless given, with ``n``
        columns. iK: a matrix near the inverse of ``A``, which makes it faster. niter: the most steps, as many as it takes if negative.
        tol: how small the remainders must become, relative to the matrix. largest: whether the largest are wanted (the default).

    Returns:
        ``(E, X)``: [*, k] and [*, m, k].
    """
    if method not in (None, "basic", "ortho"):
        raise ValueError(f"method: expected 'basic' or 'ortho', got {method!r}")
    if tracker is not None:
        raise NotImplementedError("torch.lobpcg: Rushlight does not have trackers of its steps")
    if A.dim() > 2:
        parts = [
            lobpcg(part, k, *(None if each is None else each[i] for each in (B, X)), n, None if iK is None else iK[i], niter, tol, largest, method)
            for i, part in enumerate(A)
        ]
        return torch.stack([values for values, _ in parts]), torch.stack([vectors for _, vectors in parts])
    m = A.shape[-1]
    if A.shape[-2] != m:
        raise ValueError(f"expected a square matrix, got one of {tuple(A.shape)}")
    count = 1 if k is None and X is None else X.shape[-1] if k is None else k
    columns = (count if n is None else n) if X is None else X.shape[-1]
    if m < 3 * columns:
        raise ValueError(
            f"LOBPCG algorithm is not applicable when the number of A rows (={m}) is smaller than 3 x the number of requested "
            f"eigenpairs (={columns})"
        )
    dtype = A.dtype if A.is_floating_point() or A.is_complex() else torch.float32
    if tol is None:
        tol = torch.finfo(dtype).eps ** 0.5
    with torch.no_grad():
        start = torch.randn(m, columns, dtype=dtype) if X is None else X
        values, vectors = _eigen_pairs(A, B, start, iK, 1000 if niter is None or niter < 0 else niter, tol, largest is not False)
    values, vectors = values[:count], vectors[:, :count]
    if A.requires_grad or (B is not None and B.requires_grad):
        # To the first order an eigenvalue does not depend on its vector.
        above = (vectors.conj() * (A @ vectors)).sum(0)
        below = (vectors.conj() * (vectors if B is None else B @ vectors)).sum(0)
        values = above / below
    return values, vectors


def _orthonormal(S, B):
    """Columns that span what others do, orthonormal by ``B``; those that add nothing are left out."""
    gram = S.mH @ (S if B is None else B @ S)
    scale = gram.diagonal().real.clamp_min(torch.finfo(gram.dtype).tiny).rsqrt()
    values, vectors = torch.linalg.eigh(gram * scale[:, None] * scale)
    kept = values > values[-1] * values.shape[0] * torch.finfo(values.dtype).eps * 10
    return (S * scale) @ (vectors[:, kept] * values[kept].rsqrt())


def _eigen_pairs(A, B, X, iK, niter, tol, largest):
    columns, size, P = X.shape[-1], None, None
    S = X
    for step in range(niter + 1):
        basis = _orthonormal(S, B)
        values, inner = torch.linalg.eigh(basis.mH @ (A @ basis))
        if largest:
            values, inner = values.flip(0), inner.flip(1)
        before, X, values = X, basis @ inner[:, :columns], values[:columns]
        AX, BX = A @ X, X if B is None else B @ X
        R = AX - BX * values
        if size is None:
            size = AX.norm() / X.norm()
        if step == niter or bool((R.norm(dim=0) <= tol * (size + values.abs()) * X.norm(dim=0)).all()):
            return values, X
        # The direction of the last step, without what the new vectors have of the old.
        P = X - before @ torch.linalg.lstsq(before, X).solution if step else None
        W = R if iK is None else iK @ R
        S = torch.cat([X, W] if P is None else [X, W, P], 1)
    raise AssertionError("the last step returns")
