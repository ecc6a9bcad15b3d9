"""``saved_tensors_hooks``: what operators and custom functions save is kept by the program."""

import torch
from torch.autograd.graph import disable_saved_tensors_hooks, save_on_cpu, saved_tensors_hooks

log = []


def pack(tensor):
    log.append(("pack", tuple(tensor.shape), torch.is_grad_enabled()))
    return tensor.detach().numpy()


def unpack(kept):
    log.append(("unpack", kept.shape))
    return torch.from_numpy(kept)


a = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
with saved_tensors_hooks(pack, unpack):
    y = a.exp() * a
print(log)
log.clear()
y.sum().backward()
print(sorted(log), a.grad)


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return g * y, g * x


log.clear()
with saved_tensors_hooks(pack, unpack):
    r = Product.apply(a, a.detach() * 2)
print(log)
log.clear()
r.sum().backward()
print(log, a.grad)


def attempt(what, function):
    try:
        print(what, function())
    except Exception as error:
        print(what, type(error).__name__, error)


def inside(pack, unpack, work=lambda: a.exp().sum()):
    with saved_tensors_hooks(pack, unpack):
        out = work()
    return torch.autograd.grad(out, a, create_graph=True)[0]


same = lambda value: value  # noqa: E731
attempt("no tensor", lambda: inside(same, lambda value: 3))
attempt("written", lambda: inside(lambda value: value.mul_(2), same))
attempt("raises", lambda: inside(lambda value: 1 / 0, same))
attempt("raises later", lambda: inside(same, lambda value: [][1]))
attempt("other values", lambda: inside(same, lambda value: value * 0))
attempt("halves", lambda: inside(lambda value: value.half(), lambda value: value.float()))
attempt("second derivative", lambda: torch.autograd.grad(inside(same, same, lambda: (a * a * a).sum()).sum(), a))
attempt("list", lambda: inside(same, same, lambda: torch.cat([a * 2, a]).prod()))


def disabled():
    with disable_saved_tensors_hooks("not in here"), saved_tensors_hooks(same, same):
        return 1


attempt("disabled", disabled)


def nested():
    with saved_tensors_hooks(lambda v: 1 / 0, same), saved_tensors_hooks(lambda v: v + 1, lambda v: v - 1):
        out = a.exp()
    return torch.autograd.grad(out.sum(), a)


attempt("innermost", nested)
with save_on_cpu():
    out = (a.exp() * a).sum()
print(torch.autograd.grad(out, a))
scripted = torch.jit.script(lambda x: x * x) if False else torch.jit.trace(lambda x: x.sin() * x, a)
log.clear()
with saved_tensors_hooks(pack, unpack):
    out = scripted(a).sum()
print(torch.autograd.grad(out, a))
