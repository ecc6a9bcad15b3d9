"""torch.autograd.Function inside transforms: rules made from forward and backward, and rules of its own."""
import torch
from torch.func import *
class Cube(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return (x ** 3, 3 * x ** 2)

    @staticmethod
    def setup_context(ctx, inputs, outputs):
        x, = inputs
        _, d = outputs
        ctx.mark_non_differentiable(d)
        ctx.save_for_backward(x, d)

    @staticmethod
    def backward(ctx, g, gd):
        x, d = ctx.saved_tensors
        return g * d
cube = lambda x: Cube.apply(x)[0]
x = torch.arange(3.0)
print(vmap(cube)(x), grad(lambda x: cube(x).sum())(x), vmap(grad(cube))(x))
class Mul(torch.autograd.Function):

    @staticmethod
    def forward(a, b):
        return a * b

    @staticmethod
    def setup_context(ctx, i, o):
        ctx.save_for_backward(*i)

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        return (g * b, g * a)

    @staticmethod
    def vmap(info, in_dims, a, b):
        print(info.batch_size, info.randomness, in_dims)
        ad, bd = in_dims
        if ad is None:
            a = a.expand(info.batch_size, *a.shape)
        if bd is None:
            b = b.expand(info.batch_size, *b.shape)
        return (Mul.apply(a, b), 0)
print(vmap(Mul.apply)(x, x))
print(vmap(Mul.apply, (0, None))(x, torch.tensor(2.0)))
print(vmap(grad(Mul.apply, argnums=(0, 1)))(x, x + 1))
class Sc(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x, w, k):
        return (x * w).sum() * k

    @staticmethod
    def setup_context(ctx, i, o):
        ctx.save_for_backward(i[0], i[1])
        ctx.k = i[2]

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        return (g * w * ctx.k, g * x * ctx.k, None)
X = torch.arange(6.0).reshape(2, 3)
w = torch.ones(3)
print(vmap(lambda a: Sc.apply(a, w, 2))(X))
print(vmap(grad(lambda a, w: Sc.apply(a, w, 2), argnums=(0, 1)), (0, None))(X, w))
print(grad(lambda w: vmap(lambda a: Sc.apply(a, w, 2))(X).sum())(w))
class Bad(Cube):

    @staticmethod
    def vmap(info, in_dims, x):
        return x
try:
    vmap(lambda x: Bad.apply(x)[0])(x)
except Exception as e:
    print(type(e).__name__, e)
class Bad2(Mul):

    @staticmethod
    def vmap(info, in_dims, a, b):
        return a * b
try:
    vmap(Bad2.apply)(x, x)
except Exception as e:
    print(type(e).__name__, e)
