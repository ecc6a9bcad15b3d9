"""Gradients of special functions, under all of their names, and what the reference says of those that it lacks."""

import torch


def rounded(values):
    return [round(v, 4) for v in values.reshape(-1).tolist()]


def show(name, function, *numbers):
    inputs = [torch.tensor(n, dtype=torch.float64, requires_grad=True) for n in numbers]
    out = function(*inputs)
    try:
        found = torch.autograd.grad(out.sum(), inputs, allow_unused=True)
    except (RuntimeError, NotImplementedError) as error:
        print(name, out.grad_fn.name(), type(error).__name__, error)
        return
    print(name, out.grad_fn.name(), [None if g is None else rounded(g) for g in found])


s = torch.special
few = [0.3, 0.7, 1.9]
for name in (
    "i0", "i0e", "i1", "i1e", "digamma", "psi", "erf", "erfc", "erfcx", "exp2", "expit", "expm1", "gammaln", "log1p", "sinc", "entr",
    "ndtr", "log_ndtr", "bessel_j0", "bessel_j1", "modified_bessel_k0", "round",
):
    show(name, getattr(s, name), few)
for name in ("erfinv", "logit", "ndtri"):
    show(name, getattr(s, name), [0.2, 0.6])
show("polygamma", lambda x: s.polygamma(2, x), few)
show("multigammaln", lambda x: s.multigammaln(x, 2), [1.5, 4.0])
show("zeta of a number", lambda x: s.zeta(2.5, x), few)
show("zeta", lambda x: s.zeta(torch.tensor([2.0, 3.0, 4.0], dtype=torch.float64), x), few)
show("zeta of both", s.zeta, [2.0, 3.0, 4.0], few)
show("gammainc", lambda x: s.gammainc(torch.tensor([0.5, 1.0, 2.0], dtype=torch.float64), x), few)
show("gammaincc", lambda x: s.gammaincc(torch.tensor([0.5, 1.0, 2.0], dtype=torch.float64), x), few)
show("gammainc of both", s.gammainc, [0.5, 1.0, 2.0], few)
show("gammaincc of both", s.gammaincc, [0.5, 1.0, 2.0], few)
show("xlogy", s.xlogy, few, few)
show("xlogy of a number", lambda x: s.xlogy(2.0, x), few)
show("xlog1py of a number", lambda x: s.xlog1py(2.0, x), few)
show("logsumexp", lambda x: s.logsumexp(x, 0), few)
show("softmax", lambda x: s.softmax(x, 0)[:2], few)
show("log_softmax", lambda x: s.log_softmax(x, 0)[:2], few)
show("subtract", lambda x, y: torch.subtract(x, y, alpha=2), few, few)
x = torch.tensor(few, requires_grad=True)
print(s.airy_ai(x).requires_grad, s.hermite_polynomial_h(x, 2).requires_grad, x.view(torch.int32).requires_grad)
print(torch.atanh_((x / 2).clone()).grad_fn.name())
try:
    (x / 2).clone().atanh_().sum().backward()
except NotImplementedError as error:
    print(error)
for draw in (
    lambda t: t.normal_(), lambda t: t.uniform_(), lambda t: t.exponential_(), lambda t: t.bernoulli_(0.5), lambda t: t.random_(3),
    lambda t: t.cauchy_(), lambda t: t.geometric_(0.5), lambda t: t.log_normal_(),
):
    out = draw(x * 1)
    print(out.grad_fn.name(), torch.autograd.grad(out.sum(), x)[0].tolist())
