# torch.cond and torch.while_loop outside of compilers, torch.lobpcg, transforms by distribution functions, names that dir lists.
import warnings

warnings.simplefilter("ignore")

import torch
import torch.distributions as D


def attempt(call):
    try:
        print(call())
    except Exception as error:
        print(f"<<{type(error).__name__}>>\n{error}\n<<end>>")


x = torch.ones(3)
attempt(lambda: torch.cond(True, lambda a: a + 1, lambda a: a - 1, (x,)))
attempt(lambda: torch.cond(torch.tensor(False), lambda a: a + 1, lambda a: a - 1, (x,)))
attempt(lambda: torch.cond(torch.tensor([False, True]), lambda a: a + 1, lambda a: a - 1, (x,)))
attempt(lambda: torch.cond("a", lambda: torch.ones(1), lambda: torch.zeros(1)))
attempt(lambda: torch.cond(x.sum() > 2, lambda a: {"k": a * 2}, lambda a: {"k": a * 3}, [x]))
attempt(lambda: torch.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * 2), (torch.tensor(0), torch.ones(2))))
attempt(lambda: torch.while_loop(lambda y: y[0] < 3, lambda y: y * 2, [torch.ones(3)]))
attempt(lambda: torch.while_loop(3, lambda y: y * 2, (torch.ones(2),)))
w = torch.ones(2, requires_grad=True)
torch.cond(torch.tensor(True), lambda a: (a * a).sum(), lambda a: a.sum(), (w,)).backward()
print(w.grad)

torch.manual_seed(0)
A = torch.randn(12, 12, dtype=torch.float64)
A = A @ A.T + 12 * torch.eye(12, dtype=torch.float64)
start = torch.randn(12, 3, dtype=torch.float64)
every = torch.linalg.eigvalsh(A)
for options in ({}, {"largest": False}, {"method": "basic", "k": 2}, {"iK": torch.linalg.inv(A), "largest": False}, {"niter": 200, "tol": 1e-10}):
    values, vectors = torch.lobpcg(A, X=start, **options)
    wanted = every[: len(values)] if options.get("largest") is False else every.flip(0)[: len(values)]
    print(vectors.shape, torch.allclose(values, wanted, rtol=1e-4), bool((A @ vectors - vectors * values).norm() < 1e-2))
values, _ = torch.lobpcg(A, B=2 * torch.eye(12, dtype=torch.float64), X=start)
print(torch.allclose(values, every.flip(0)[:3] / 2, rtol=1e-4))
values, vectors = torch.lobpcg(torch.stack([A, 2 * A]), X=torch.stack([start, start]))
print(values.shape, vectors.shape, torch.allclose(values[1], 2 * values[0], rtol=1e-4))
attempt(lambda: torch.lobpcg(A, k=5))
again = A.clone().requires_grad_()
torch.lobpcg(again, X=start, tol=1e-9)[0].sum().backward()
exact = A.clone().requires_grad_()
torch.linalg.eigvalsh(exact)[-3:].sum().backward()
print(torch.allclose(again.grad + again.grad.T, exact.grad + exact.grad.T, atol=1e-5))

normal = D.CumulativeDistributionTransform(D.Normal(torch.tensor(0.0), torch.tensor(2.0)))
points = torch.tensor([-1.0, 0.0, 3.0])
print(normal(points), normal.inv(normal(points)), normal.log_abs_det_jacobian(points, normal(points)), normal)
print(D.TransformedDistribution(D.Uniform(0.0, 1.0), [normal.inv]).log_prob(torch.tensor(0.5)))
print(torch.ones(2)[:, torch.newaxis].shape)
for space, names in ((torch.linalg, ("det", "svd")), (torch.special, ("polygamma", "zeta")), (torch.fft, ("rfft", "ifft2"))):
    print(all(name in dir(space) for name in names))
