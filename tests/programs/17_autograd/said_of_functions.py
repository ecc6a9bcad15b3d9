"""Functions of one's own: arguments by name, what may be saved and marked; dual tensors and parameters of a class printed."""
import copy

import torch
import torch.autograd.forward_ad as fwAD
from torch import nn
from torch.autograd import Function


def shown(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, error)


x = torch.ones(2, requires_grad=True)


class Plain(Function):
    @staticmethod
    def forward(ctx, a, b=2, c=3, **others):
        print("forward", a.tolist(), b, c, others)
        return a * b

    @staticmethod
    def backward(ctx, g):
        print("needs", ctx.needs_input_grad)
        return (g * 5,) + (None,) * 4


class Apart(Function):
    @staticmethod
    def forward(a, b=2, c=3):
        return a * b

    @staticmethod
    def setup_context(ctx, inputs, output):
        print("inputs", inputs)

    @staticmethod
    def backward(ctx, g):
        print("needs", ctx.needs_input_grad)
        return g * 5, None, None


class Second(Function):
    @staticmethod
    def forward(ctx, b, a, *, k=1):
        return a * b

    @staticmethod
    def backward(ctx, g):
        return None, g


for function in (Plain, Apart):
    for args, kwargs in (
        ((x,), {}), ((), {"a": x}), ((x,), {"b": 4}), ((x,), {"c": 4}), ((x, 1), {"c": 4}), ((), {"c": 4, "a": x}), ((x,), {"k": 1}),
        ((x,), {"a": x}), ((), {"b": 1}), ((), {"c": 1, "b": 2, "a": x}), ((), {}),
    ):
        shown(lambda: function.apply(*args, **kwargs).sum().backward())
shown(lambda: Apart.apply(x, 1, 2, 3))
shown(lambda: Second.apply(1, a=x))
shown(lambda: Second.apply(a=x))
shown(lambda: Second.apply(1, x, k=2))
print(x.grad)


def saving(save):
    class Saving(Function):
        @staticmethod
        def forward(ctx, a):
            save(ctx, a)
            return a * 2

        @staticmethod
        def backward(ctx, g):
            print(ctx.saved_tensors)
            return g

    return Saving


for y in (x, x.detach()):
    for value in ("x", 1, None, [y], (y,), 2.5):
        for save in (
            lambda ctx, a: ctx.save_for_backward(value), lambda ctx, a: ctx.save_for_backward(a, value),
            lambda ctx, a: ctx.save_for_forward(value), lambda ctx, a: ctx.mark_dirty(value),
            lambda ctx, a: ctx.mark_non_differentiable(value), lambda ctx, a: setattr(ctx, "to_save", value),
        ):
            if value is y or not (y is x and value == (y,)):
                shown(lambda: saving(save).apply(y).sum().item())

with fwAD.dual_level():
    dual = fwAD.make_dual(torch.ones(2), torch.ones(2))
    print(dual, dual * 2, [dual.sin()], dual.sum(), dual[0])
    print(fwAD.make_dual(torch.ones(2, 3), torch.arange(6.0).view(2, 3)).t())
    print(fwAD.make_dual(torch.ones(2, dtype=torch.double), torch.full((2,), 2.0, dtype=torch.double)))
    print(fwAD.make_dual(torch.ones(2, requires_grad=True), torch.ones(2)), fwAD.unpack_dual(dual), dual.detach())


class Named(nn.Parameter):
    pass


class Own(nn.Parameter):
    def __repr__(self):
        return "own"


class Kind(torch.Tensor):
    pass


print(Named(torch.ones(1)), [Named(torch.ones(2, 2), requires_grad=False)], Own(torch.ones(1)), nn.Parameter(Kind([1.0])))
print(copy.deepcopy(Named(torch.ones(1))), Named(torch.ones(1)) * 2, Named(torch.tensor(2.0)))
