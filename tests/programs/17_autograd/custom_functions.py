# function details
import torch
from torch.autograd import Function
from torch.autograd.function import once_differentiable
def err(f):
    try: print(f())
    except Exception as e: print("<<%s>>" % type(e).__name__); print(e); print("<<end>>")
class Inplace(Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x
    @staticmethod
    def backward(ctx, g):
        return g * 2
a = torch.ones(2, requires_grad=True)
b = a.clone()
c = Inplace.apply(b)
print(c is b, c)
c.sum().backward()
print(a.grad)
class Top(Function):
    @staticmethod
    def forward(ctx, x):
        v, i = x.sort()
        ctx.mark_non_differentiable(i)
        ctx.save_for_backward(i)
        return v, i
    @staticmethod
    @once_differentiable
    def backward(ctx, gv, gi):
        i, = ctx.saved_tensors
        r = torch.zeros_like(gv)
        return r.index_put_((i,), gv)
x = torch.tensor([3.0, 1.0, 2.0], requires_grad=True)
v, i = Top.apply(x)
print(v.requires_grad, i.requires_grad, v.grad_fn)
(v * torch.tensor([1.0, 10.0, 100.0])).sum().backward()
print(x.grad)
class Cube(Function):
    @staticmethod
    def forward(x): return x ** 3
    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0])
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * 3 * x * x
y = Cube.apply(x)
g, = torch.autograd.grad(y.sum(), x, create_graph=True)
print(g, torch.autograd.grad(g.sum(), x))
class NoB(Function):
    @staticmethod
    def forward(ctx, x): return x * 1
err(lambda: NoB.apply(x).sum().backward())
err(lambda: Function())
print(torch.autograd.gradcheck(Cube.apply, (torch.randn(3, dtype=torch.float64, requires_grad=True),)))
