# What forward leaves on the context of a Function is found on the node of its result, and the other way round.
import torch


class Power(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, exponent, note=None):
        ctx.exponent, ctx.note = exponent, note
        ctx.save_for_backward(x)
        return x**exponent, x.detach().argmax()

    @staticmethod
    def backward(ctx, g, _):
        (x,) = ctx.saved_tensors
        print("backward", ctx.name(), ctx.scale, ctx.needs_input_grad)
        ctx.seen = g.tolist()
        return ctx.scale * ctx.exponent * x ** (ctx.exponent - 1) * g, None, None


x = torch.tensor([1.0, -2.0], requires_grad=True)
y, place = Power.apply(x, 3, "cubes")
node = y.grad_fn
print(node.name(), node.exponent, node.note, node.needs_input_grad, node.saved_tensors[0] is x, place.grad_fn)
node.scale = 10.0
node.metadata["where"] = "here"
print(y.grad_fn.scale, y.grad_fn.metadata, hasattr(node, "seen"))
other = Power.apply(x, 2)[0]
print(other.grad_fn.exponent, node.exponent, hasattr(other.grad_fn, "scale"), other.grad_fn.metadata)
y.sum().backward()
print(x.grad.tolist(), node.seen)
del node.scale
for name in ("scale", "nothing", "saved_tensors"):
    try:
        print(getattr(y.grad_fn, name))
    except (AttributeError, RuntimeError) as problem:
        print(type(problem).__name__, str(problem)[:60])
try:
    (x * 2).grad_fn.mine = 1
except AttributeError as problem:
    print(problem)


class Halved(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        ctx.label = "in place"
        return x.mul_(0.5)

    @staticmethod
    def backward(ctx, g):
        return g / 2


z = x * 4
print(Halved.apply(z).grad_fn.label, z.grad_fn.label, z.tolist())


class Kinds(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        print(type(ctx).__name__, type(ctx).__module__, isinstance(ctx, torch.autograd.function.BackwardCFunction))
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2


node = Kinds.apply(x).grad_fn
kinds = torch.autograd.function.FunctionCtx, torch.autograd.function.BackwardCFunction
print([isinstance(node, kind) for kind in kinds], isinstance((x * 2).grad_fn, kinds[0]), node._forward_cls is Kinds)
print(torch.autograd.function.InplaceFunction(inplace=True).inplace)
