# Factors and decompositions of matrices, with the signs of their vectors, for several shapes and dtypes.
import torch

torch.manual_seed(3)
L = torch.linalg


def shown(name, *tensors):
    for t in tensors:
        flat = t.resolve_conj().reshape(-1)
        if flat.is_complex():
            flat = torch.view_as_real(flat).reshape(-1)
        print(name, tuple(t.shape), t.dtype, [round(float(x), 3) + 0.0 for x in flat[:6]])


def matrices(n, dtype):
    a = torch.randn(n, n, dtype=dtype)
    return a, a + a.mH, a @ a.mH + n * torch.eye(n, dtype=dtype)


for dtype in (torch.float64, torch.complex128):
    for n in (1, 2, 3, 5, 9, 16):
        a, hermitian, positive = matrices(n, dtype)
        print("==", n, dtype)
        shown("eigh", *L.eigh(hermitian))
        shown("svd", *L.svd(a))
        shown("qr", *L.qr(a))
        shown("lu", *L.lu(a))
        shown("cholesky", L.cholesky(positive), L.cholesky(positive, upper=True))
        shown("inv", L.inv(positive), torch.cholesky_inverse(L.cholesky(positive)))
        shown("det", L.det(a), *L.slogdet(positive))
        shown("exp", torch.matrix_exp(a * 0.3))

for rows, cols in ((4, 3), (3, 4), (9, 4), (4, 9), (20, 6), (6, 20)):
    a = torch.randn(rows, cols, dtype=torch.float64)
    print("==", rows, cols)
    shown("svd", *L.svd(a, full_matrices=False))
    shown("full", *[t.abs() for t in L.svd(a)])
    shown("qr", *L.qr(a, mode="complete"))
    shown("pinv", L.pinv(a))
    shown("lstsq", L.lstsq(a, torch.ones(rows, 2, dtype=torch.float64)).solution)
    shown("cov", torch.cov(a), torch.corrcoef(a))

# By halves: more rows than are taken together.
for n in (26, 60, 90):
    a = torch.randn(n, n, dtype=torch.float64)
    values, vectors = L.eigh(a + a.T)
    shown("eigh", values, vectors[:, 0], vectors[:, -1])
    flat = torch.diag(torch.ones(n, dtype=torch.float64)) + 1e-14 * (a + a.T)
    values, vectors = L.eigh(flat)
    print(bool((vectors.T @ vectors - torch.eye(n)).abs().max() < 1e-12), bool((values - 1).abs().max() < 1e-11))
    u, s, vh = L.svd(a)
    print(bool(((u * s) @ vh - a).abs().max() < 1e-11), bool((u.T @ u - torch.eye(n)).abs().max() < 1e-12))
    shown("svdvals", s, L.svdvals(a))
    b = torch.randn(n, 2, dtype=torch.float64)
    shown("solve", L.solve(a, b), L.solve_triangular(a.tril() + 9 * torch.eye(n), b, upper=False))
    lu, pivots = L.lu_factor(a)
    shown("lu", lu, pivots.double(), torch.lu_solve(b, lu, pivots))

# Batches of matrices of a few rows.
poses = torch.randn(5, 4, 4, dtype=torch.float64)
shown("inv", torch.inverse(poses), torch.inverse(poses)[3])
shown("det", torch.det(poses))
shown("solve", L.solve(poses, torch.ones(5, 4, 1, dtype=torch.float64)), L.solve(poses, torch.ones(5, 4, dtype=torch.float64)))
print(torch.inverse(poses).stride(), L.solve(poses, poses).stride())
for call in (lambda: L.inv(torch.ones(3, 3)), lambda: L.solve(torch.zeros(2, 2), torch.ones(2)), lambda: L.cholesky(-torch.eye(3))):
    try:
        call()
    except RuntimeError as e:
        print(type(e).__name__, str(e).split("\n")[0])
print(L.inv_ex(torch.zeros(2, 2)).info, L.cholesky_ex(torch.tensor([[4.0, 2.0], [2.0, 0.5]])))
print(L.matrix_rank(torch.ones(5, 5)), L.matrix_rank(torch.eye(4)[:, :2] @ torch.ones(2, 3)))
print(torch.linalg.cond(torch.diag(torch.tensor([4.0, 2.0, 1.0]))))
