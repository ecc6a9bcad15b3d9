"""Tensors that a Function keeps for its derivative and that are written afterwards."""
import torch
from torch.autograd import Function


class Square(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 2 * x * grad


class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y, None)
        return y

    @staticmethod
    def backward(ctx, grad):
        y, _ = ctx.saved_tensors
        return y * grad


class Unread(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


def attempt(run):
    try:
        print(run())
    except RuntimeError as error:
        print("<<RuntimeError>>")
        print(error)
        print("<<end>>")


w = torch.ones(2, requires_grad=True)
z = w * 1
y = Square.apply(z)
attempt(lambda: y.sum().backward(retain_graph=True))
z.add_(1)
attempt(lambda: y.sum().backward())
y = Exp.apply(w)
y.add_(1)
attempt(lambda: y.sum().backward())
z = w * 1
y = Unread.apply(z)
z.add_(1)
attempt(lambda: y.sum().backward())
leaf = torch.ones(2, requires_grad=True)
y = Square.apply(leaf)
with torch.no_grad():
    leaf.add_(1)
attempt(lambda: y.sum().backward())
with torch.inference_mode():
    q = torch.ones(2)


class Scaled(Function):
    @staticmethod
    def forward(ctx, x, k):
        ctx.save_for_backward(k)
        return x * k

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.saved_tensors[0], None


attempt(lambda: Scaled.apply(w, q))
y = w.detach()
attempt(lambda: torch.autograd.grad(y.sum(), w, grad_outputs=torch.ones(3)))
