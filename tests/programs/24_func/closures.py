"""Transforms inside transforms, and what functions close over."""
import torch
from torch.func import *
x = torch.arange(6.0).reshape(2, 3)
print(vmap(lambda a: grad(lambda b: (a * b).sum())(torch.ones(3)))(x))
print(vmap(lambda a: jacrev(lambda b: a * b)(torch.ones(3)))(x))
print(vmap(lambda a: jvp(lambda b: a * b ** 2, (torch.ones(3),), (a,))[1])(x))
print(vmap(lambda a: vmap(lambda b: a @ b)(torch.eye(3)))(x))
print(vmap(lambda a: vjp(lambda b: a * b, torch.ones(3))[1](a)[0])(x))
print(grad(lambda w: vmap(lambda a: (a * w).sum() ** 2)(x).sum())(torch.ones(3)))
print(jacrev(lambda w: vmap(lambda a: (a * w).sum() ** 2)(x))(torch.ones(3)))
print(vmap(grad(lambda a: vmap(lambda b: (a * b).sum())(x).sum()))(x))
print(grad(lambda w: grad(lambda v: (v * w).sum() ** 2)(w).sum())(torch.ones(2)))
print(vmap(lambda a, w: grad_and_value(lambda b: (a * b * w).sum())(a), (0, None))(x, torch.ones(3)))
print(vmap(lambda d: d['x'].sum(), ({'x': 1},))({'x': x}))
print(vmap(lambda i: torch.arange(3) * i)(torch.arange(2)))
print(vmap(lambda i: torch.zeros(2, dtype=torch.long) + i)(torch.arange(2)))
print(vmap(lambda a: torch.tensor([1.0, 2.0]).unsqueeze(-1) * a)(x))
print(vmap(lambda a: [a, (a + 1, {'k': a.sum()})])(x))
