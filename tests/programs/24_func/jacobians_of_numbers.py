# Forward and reverse Jacobians, and Hessians, of functions of and to tensors without dimensions.
import torch
from torch.func import hessian, jacfwd, jacrev, vmap

x = torch.tensor(2.0)
for jacobian in (jacfwd, jacrev):
    print(jacobian(lambda x: x**3)(x))
    print(jacobian(lambda x: (x**3, {"square": x * x}))(x))
    print(jacobian(lambda x: torch.stack([x, x * x]))(x))
    print(jacobian(lambda v: v.sum())(torch.ones(3)))
    print(jacfwd(jacobian(lambda x: x**4))(x), jacrev(jacobian(lambda x: x**4))(x))
print(hessian(lambda x: x**3)(x))
print(vmap(hessian(lambda x: x**3))(torch.arange(3.0)))
print(vmap(lambda a, b: torch.tensordot(a, b, dims=1))(torch.ones(2, 3), torch.ones(2, 3)))
