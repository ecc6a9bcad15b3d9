# torch.utils.checkpoint: both ways, random numbers, keywords, nesting, second derivatives, checks, in traces
import warnings

import torch
import torch.utils.checkpoint as module
from torch.utils.checkpoint import checkpoint, checkpoint_sequential


def attempt(f):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            print(f())
        except Exception as e:
            print(f"<<{type(e).__name__}>>", str(e).strip().split("\n")[0])
    for w in seen:
        if "jit" not in str(w.message):
            print("warned", w.category.__name__, str(w.message)[:90])


w = torch.tensor([2.0, 3.0], requires_grad=True)


def f(x):
    return (x * w).sin()


def x(grad=True):
    return torch.tensor([1.0, 2.0], requires_grad=grad)


def gradients(*args, **options):
    """What a checkpoint gives, and the gradients of its argument and of w."""
    function, a = args
    w.grad = None
    y = checkpoint(function, a, **options)
    y.sum().backward()
    return y, a.grad, w.grad


for way in (True, False):
    print("== use_reentrant", way)
    print(*gradients(f, x(), use_reentrant=way))
    attempt(lambda: checkpoint(f, x(False), use_reentrant=way).requires_grad)
    attempt(lambda: torch.autograd.grad(checkpoint(f, (a := x()), use_reentrant=way).sum(), [a, w]))
    attempt(lambda: checkpoint(lambda x, k=1: x * k, x(), use_reentrant=way, k=3))
    attempt(lambda: checkpoint(f, x(), use_reentrant=way, foo=1))
    attempt(lambda: checkpoint(f, x(), use_reentrant=way, context_fn=lambda: (1, 2)))
    attempt(lambda: checkpoint(lambda x: (x * 2, 3, None, [x * 5]), x(), use_reentrant=way))
    attempt(lambda: checkpoint(lambda x: None, x(), use_reentrant=way))
    attempt(lambda: checkpoint(lambda d: d["a"] * 2, {"a": x()}, use_reentrant=way).requires_grad)
    torch.manual_seed(0)
    y, g, _ = gradients(lambda t: torch.nn.functional.dropout(t * w, 0.5), x(), use_reentrant=way)
    print(bool(((y != 0) == (g != 0)).all()), torch.rand(1).item())
    print(gradients(lambda t: checkpoint(f, t, use_reentrant=way) * t, x(), use_reentrant=way))
    print(gradients(lambda t: checkpoint(lambda s: f(s) * s, t * 2, use_reentrant=way).exp(), x(), use_reentrant=way))
    a = x()
    y = checkpoint(f, a, use_reentrant=way).sum()
    y.backward(retain_graph=True)
    attempt(lambda: y.backward())
    attempt(lambda: y.backward())
    print(a.grad)
    b = x()
    c = b * 3
    a = x()
    checkpoint(lambda t: t * c, a, use_reentrant=way).sum().backward()
    print(a.grad, b.grad)
    with torch.no_grad():
        attempt(lambda: checkpoint(f, x(False), use_reentrant=way))
    one, two = checkpoint(lambda t: (t * w, t + 1), (a := x()), use_reentrant=way)
    one.sum().backward()
    print(a.grad)
    one, two = checkpoint(lambda t: (t * w, t + 1), (a := x()), use_reentrant=way)
    (one * two).sum().backward()
    print(a.grad)

    def inplace(t):
        t = t * 2
        t.mul_(w)
        return t.relu_()

    print(gradients(inplace, x(), use_reentrant=way))
    a = x()
    checkpoint(lambda t, i, s: t * i * s, a, torch.tensor(3), 2.5, use_reentrant=way).sum().backward()
    print(a.grad)
    calls = []
    gradients(lambda t: (calls.append(torch.is_grad_enabled()), t.exp())[1], x(), use_reentrant=way)
    print(calls)
    linear = torch.nn.Linear(2, 2)
    torch.nn.init.ones_(linear.weight), torch.nn.init.ones_(linear.bias)
    linear.weight.register_hook(lambda g: g * 2)
    a = x().reshape(1, 2).detach().requires_grad_()
    a.register_hook(lambda g: g * 3)
    checkpoint(lambda t: linear(t).tanh(), a * 1, use_reentrant=way).sum().backward()
    print(linear.weight.grad, linear.bias.grad, a.grad)
    steps = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU(), torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
    for p in steps.parameters():
        torch.nn.init.ones_(p)
    for parts in (1, 2, 3, 4, 7, 0):
        attempt(lambda: checkpoint_sequential(steps, parts, x(), use_reentrant=way).item())
    checkpoint_sequential(list(steps), 2, x(), use_reentrant=way).backward()
    print([p.grad.sum().item() for p in steps.parameters()])
    attempt(lambda: checkpoint_sequential(steps, 2, x(), use_reentrant=way, foo=1))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = checkpoint(lambda t: t @ w, (a := x()), use_reentrant=way)
    y.backward()
    print(y.dtype, a.grad)

print("== more")
print(torch.autograd.grad(torch.autograd.grad(checkpoint(f, (a := x()), use_reentrant=False).sum(), a, create_graph=True)[0].sum(), a))
d = torch.tensor([0.3, 0.7], dtype=torch.double, requires_grad=True)
print(torch.autograd.gradgradcheck(lambda t: checkpoint(lambda q: (q * q).sin(), t, use_reentrant=False), d))
attempt(lambda: checkpoint(f, x()))
attempt(lambda: checkpoint_sequential(steps, 2, x()).item())
attempt(lambda: checkpoint(f, x(), use_reentrant=False, determinism_check="foo"))
attempt(lambda: checkpoint(f, x(), use_reentrant=False, determinism_check="none"))


def changing(*bodies):
    """A function that does something else each time."""
    left = list(bodies)
    return lambda t: left.pop(0)(t)


for bodies in (
    (lambda t: t * w, lambda t: t.sum() * w.sum()), (lambda t: t * w * w, lambda t: t * w),
):
    y = checkpoint(changing(*bodies), x(), use_reentrant=False).sum()
    attempt(lambda: y.backward())
print([c.__name__ for c in module.CheckpointError.__mro__][:2])
y = checkpoint(changing(lambda t: t * w, lambda t: t.sum() * w.sum()), x(), use_reentrant=True).sum()
attempt(lambda: y.backward())
attempt(lambda: module.detach_variable((x(),)))
attempt(lambda: module.detach_variable(x()))
attempt(lambda: module.check_backward_validity([x(False)]))
attempt(lambda: torch.jit.trace(lambda z: checkpoint(lambda q: (q * 2).sin(), z, use_reentrant=False), torch.ones(2)).graph)
attempt(lambda: torch.jit.trace(lambda z: checkpoint(f, z, use_reentrant=False), x(), check_trace=False)(x()))
y = checkpoint(lambda t: {"y": (t * 2, t.exp())}, (a := x()), use_reentrant=False)
(y["y"][0] + y["y"][1]).sum().backward()
print(a.grad, list(y))
