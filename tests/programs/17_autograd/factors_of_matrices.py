"""Gradients of factors of matrices, by losses that no choice of signs changes."""

import torch

D = torch.float64
A = torch.tensor([[2.0, 0.5, -1.0], [0.3, 1.5, 0.2], [-0.4, 0.8, 3.0]], dtype=D)


def weights(t):
    return torch.arange(1.0, t.numel() + 1, dtype=D).reshape(t.shape).cos()


def loss_of(outputs):
    return sum((t.abs() ** 2 * weights(t)).sum() for t in outputs if t.requires_grad)


def show(name, function, *inputs):
    inputs = [i.clone().requires_grad_() for i in inputs]
    found = function(*inputs)
    outputs = list(found) if isinstance(found, (tuple, list)) else [found]
    nodes = [None if t.grad_fn is None else t.grad_fn.name() for t in outputs]
    try:
        grads = torch.autograd.grad(loss_of(outputs), inputs)
    except (RuntimeError, NotImplementedError) as error:
        print(name, nodes, type(error).__name__, str(error)[:90])
        return
    parts = [torch.view_as_real(g.resolve_conj()) if g.is_complex() else g for g in grads]
    print(name, nodes, [[round(v, 4) + 0.0 for v in p.reshape(-1).tolist()] for p in parts])


L = torch.linalg
symmetric = A @ A.T
complex_A = torch.complex(A, A.flip(0) / 3)
for name, matrix in (("square", A), ("wide", A[:2]), ("tall", A[:, :2]), ("complex", complex_A)):
    show("lu " + name, L.lu, matrix)
    show("lu_factor " + name, L.lu_factor, matrix)
    show("qr " + name, L.qr, matrix)
    show("svd " + name, lambda m: L.svd(m, full_matrices=False), matrix)
show("eig", L.eig, A)
show("eigvals", L.eigvals, A)
show("phases", lambda m: L.eig(m)[1].real, complex_A)
show("lu_solve", lambda m, b: torch.lu_solve(b, *L.lu_factor(m)), A, A[:, :2])
show("householder_product", L.householder_product, A, A[0] / 3)
show("ormqr", torch.ormqr, A, A[0] / 3, A[:, :2])
show("geqrf", torch.geqrf, A)
show("lstsq", lambda m, b: L.lstsq(m, b)[:2], A[:, :2], A[:, :1])
for p in (None, -2, "nuc"):
    show(f"cond {p}", lambda m: L.cond(m, p), A)
show("tensorsolve", lambda a, b: L.tensorsolve(a, b), symmetric.reshape(3, 3, 1), A[0])
show("logdet", torch.logdet, A)
show("slogdet", L.slogdet, complex_A)
show("svd of old", torch.svd, A)
show("matrix_power", lambda m: L.matrix_power(m, 3), A)
show("addmm", lambda m, n: torch.addmm(m, m, n, beta=1 + 2j, alpha=2 - 1j), complex_A, complex_A.T)
show("vander", lambda v: L.vander(v, N=4), A[0])
show("cholesky", L.cholesky, symmetric)
show("chain_matmul", lambda m: torch.chain_matmul(m, m.T, m), A)
