"""The signs of zeros in Jacobians by directions: those of the derivative, row by row."""
import torch
from torch.func import hessian, jacfwd, jacrev

x = torch.tensor([0.5, 1.0, -0.5], dtype=torch.double)
for name, f in {
    "cos": torch.cos,
    "square": lambda v: v**2,
    "sine": torch.sin,
    "scaled": lambda v: -2 * v,
}.items():
    print(name, jacfwd(f)(x), jacrev(f)(x), sep="\n")
print(hessian(lambda v: (100.0 * (v[1:] - v[:-1] ** 2) ** 2 + (1 - v[:-1]) ** 2).sum())(x))
print(jacfwd(lambda v: torch.outer(v, v).sum(1))(x), jacfwd(lambda v: v.sum())(x))
