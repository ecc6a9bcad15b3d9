"""Gradients of operators on every tensor of a list."""

import torch


def show(name, function, *lists):
    lists = [[t.clone().requires_grad_() for t in tensors] for tensors in lists]
    out = function(*lists)
    total = sum((t * (i + 1)).sum() for i, t in enumerate(out))
    inputs = [t for tensors in lists for t in tensors]
    found = torch.autograd.grad(total, inputs)
    print(name, out[0].grad_fn.name(), [[round(v, 4) + 0.0 for v in g.reshape(-1).tolist()] for g in found])


a = [torch.tensor([0.2, 0.5]), torch.tensor([0.9])]
b = [torch.tensor([0.4, 0.3]), torch.tensor([0.7])]
for name in (
    "abs", "acos", "asin", "atan", "ceil", "cos", "cosh", "erf", "erfc", "exp", "expm1", "floor", "frac", "lgamma", "log", "log10", "log1p",
    "log2", "neg", "reciprocal", "round", "rsqrt", "sigmoid", "sign", "sin", "sinh", "sqrt", "tan", "tanh", "trunc", "max",
):
    show(name, getattr(torch, "_foreach_" + name), a)
for name in ("add", "sub", "mul", "div", "clamp_max", "clamp_min", "maximum", "minimum", "pow"):
    operator = getattr(torch, "_foreach_" + name)
    show(name, operator, a, b)
    show(name, lambda x: operator(x, 0.6), a)
    show(name, lambda x: operator(x, [0.6, 2.0]), a)
show("pow", lambda x: torch._foreach_pow(2.0, x), a)
show("lerp", torch._foreach_lerp, a, b, a)
show("lerp", lambda x, y: torch._foreach_lerp(x, y, 0.3), a, b)
show("addcmul", lambda x, y, z: torch._foreach_addcmul(x, y, z, 2.0), a, b, a)
show("norm", torch._foreach_norm, a)
show("norm", lambda x: torch._foreach_norm(x, 1), a)
show("mm", torch._foreach_mm, [torch.eye(2) + 1], [torch.ones(2, 2)])
