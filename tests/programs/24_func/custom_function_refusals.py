"""Functions with a gradient of their own: what they refuse, and how many inputs their nodes know."""
import torch


def told(f):
    try:
        print("ok", f())
    except Exception as e:
        print(type(e).__name__, str(e))


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale=2.0):
        return x * scale

    @staticmethod
    def backward(ctx, g):
        return g * 2, None


class Once(Double):
    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, g):
        return g * 2, None


class Wrong(Double):
    @staticmethod
    def backward(ctx, g):
        return g * 2, g


a = torch.ones(3, requires_grad=True)
told(lambda: Double()(a))
out = Double.apply(a, 3.0)
print(len(out.grad_fn.next_functions), out.grad_fn.next_functions[0][0].name())
told(lambda: Wrong.apply(a, 3.0).sum().backward())
y = torch.autograd.grad(Once.apply(a, 2.0).pow(2).sum(), a, create_graph=True)[0]
print(y, y.requires_grad)
told(lambda: torch.autograd.grad(y.sum(), a))
told(lambda: y.sum().backward())
y = torch.autograd.grad(Once.apply(a, 2.0).sum(), a, create_graph=True)[0]
print(y, y.requires_grad, y.grad_fn)
told(lambda: torch.autograd.grad(y.sum(), a))
