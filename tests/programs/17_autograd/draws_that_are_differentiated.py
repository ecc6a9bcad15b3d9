"""Gradients of draws by the parameters of their distribution: the change that leaves the probability below a draw as it is."""

import torch
from torch.distributions import Beta, Chi2, Dirichlet, Gamma, StudentT

shapes = torch.tensor([0.2, 1.0, 4.0, 30.0, 500.0], dtype=torch.float64)
for part in (0.5, 0.9, 1.0, 1.1, 2.0):
    print("gamma", [round(v, 2) + 0.0 for v in torch._standard_gamma_grad(shapes, shapes * part).tolist()])
total = torch.full([3], 5.0, dtype=torch.float64)
for part in ([0.1, 0.3, 0.6], [0.4, 0.5, 0.1]):
    x = torch.tensor(part, dtype=torch.float64)
    print("dirichlet", [round(v, 2) for v in torch._dirichlet_grad(x, torch.tensor([1.0, 1.5, 2.5], dtype=torch.float64), total).tolist()])
print(torch._standard_gamma_grad(torch.ones(2), torch.zeros(2)))

# The mean of many draws changes as the mean of the distribution does.
torch.manual_seed(0)


def check(make, value, want, count=20000):
    parameter = torch.tensor(value, dtype=torch.float64, requires_grad=True)
    draws = make(parameter).rsample((count,))
    grad = torch.autograd.grad(draws.mean(0).reshape(-1)[0], parameter)[0]
    print(draws.grad_fn.name(), bool((grad.reshape(-1)[0] - want).abs() < 0.03))


two = torch.tensor(2.0, dtype=torch.float64)
check(lambda a: Gamma(a, 2.0), 3.0, 1 / 2)
check(lambda b: Gamma(3.0, b), 2.0, -3 / 4)
check(Chi2, 4.0, 1.0)
check(lambda a: Beta(a, two), 1.5, 2 / 3.5**2)
check(lambda b: Beta(two, b), 1.5, -2 / 3.5**2)
check(Dirichlet, [1.0, 2.0, 3.0], 5 / 36)
check(lambda d: StudentT(d, 1.0, two), 8.0, 0.0)
for name in ("_standard_gamma", "poisson"):
    p = torch.tensor([1.5, 2.5], requires_grad=True)
    print(getattr(torch, name)(p).grad_fn.name())
try:
    torch._standard_gamma_grad(p, p).sum().backward()
except NotImplementedError as error:
    print(error)
