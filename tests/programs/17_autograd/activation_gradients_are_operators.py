"""Gradients of activations are operators of their own: they can be called, and stay connected to their arguments."""
import torch
import torch.nn.functional as F

x = torch.tensor([-4.0, -3.0, -2.5, -0.75, -0.5, 0.0, 0.25, 0.5, 1.0, 2.0, 3.0, 5.5, 6.0, 7.0])
g = torch.linspace(0.5, 1.5, 14)

FUNCTIONS = {
    "hardtanh": lambda t: F.hardtanh(t, -2.5, 2.0),
    "relu6": F.relu6,
    "hardswish": F.hardswish,
    "softshrink": F.softshrink,
    "hardshrink": F.hardshrink,
    "elu": lambda t: F.elu(t, 0.7),
    "selu": F.selu,
    "celu": lambda t: F.celu(t, 1.3),
    "silu": F.silu,
    "mish": F.mish,
    "softplus": lambda t: F.softplus(t, 2.0, 4.0),
    "gelu": F.gelu,
    "gelu_tanh": lambda t: F.gelu(t, approximate="tanh"),
    "sigmoid": torch.sigmoid,
    "tanh": torch.tanh,
    "logsigmoid": F.logsigmoid,
    "threshold": lambda t: F.threshold(t, 0.25, 3.0),
    "leaky_relu": lambda t: F.leaky_relu(t, 0.2),
}
torch.set_printoptions(precision=3, sci_mode=False)
for name, function in FUNCTIONS.items():
    for dtype in (torch.float32, torch.float64):
        a = x.clone().to(dtype).requires_grad_()
        v = g.clone().to(dtype).requires_grad_()
        (first,) = torch.autograd.grad(function(a), a, v, create_graph=True)
        second = torch.autograd.grad((first * first).sum(), (a, v), allow_unused=True)
        print(name, dtype, first.requires_grad)
        print(" ", first.detach())
        for one in second:
            print(" ", one)

# In place.
for name, function in {"elu_": lambda t: F.elu_(t, 0.7), "selu_": torch.selu_, "celu_": lambda t: torch.celu_(t, 1.3)}.items():
    a = x.clone().requires_grad_()
    y = function(a * 1)
    print(name, type(y.grad_fn).__name__, torch.autograd.grad(y.sum(), a)[0])

# The operators themselves.
ops = torch.ops.aten
print(ops.hardtanh_backward(g, x, -1, 1))
print(ops.hardsigmoid_backward(g, x))
print(ops.hardswish_backward(g, x))
print(ops.softshrink_backward(g, x, 0.5))
print(ops.hardshrink_backward(g, x, 0.5))
print(ops.elu_backward(g, 1, 1, 1, False, x))
print(ops.elu_backward(g, 1, 1, 1, True, F.elu(x)))
print(ops.silu_backward(g, x))
print(ops.mish_backward(g, x))
print(ops.softplus_backward(g, x, 1, 20))
print(ops.gelu_backward(g, x))
print(ops.gelu_backward(g, x, approximate="tanh"))
print(ops.sigmoid_backward(g, torch.sigmoid(x)))
print(ops.tanh_backward(g, torch.tanh(x)))
out = torch.empty(14)
print(ops.tanh_backward.grad_input(g, torch.tanh(x), grad_input=out) is out, out)
c = torch.complex(x[:4], g[:4])
print(ops.sigmoid_backward(c, torch.sigmoid(c)))
print(ops.tanh_backward(c, torch.tanh(c)))
for call in (
    lambda: ops.elu_backward(g, -1.0, 1.0, 1.0, True, x),
    lambda: ops.gelu_backward(g, x, approximate="other"),
    lambda: ops.silu_backward(g.long(), x.long()),
    lambda: ops.hardsigmoid_backward(g.long(), x.long()),
):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, str(error))

# Complex arguments, double backward.
z = c.to(torch.complex128).requires_grad_()
for function in (torch.sigmoid, torch.tanh):
    (first,) = torch.autograd.grad(function(z).abs().sum(), z, create_graph=True)
    print(first.detach())
    print(torch.autograd.grad(first.abs().sum(), z)[0])

# In scripts.
@torch.jit.script
def penalty(t: torch.Tensor) -> torch.Tensor:
    y = F.hardtanh(t) + F.gelu(t) + F.silu(t)
    grads = torch.autograd.grad([y.sum()], [t], create_graph=True)
    grad = grads[0]
    assert grad is not None
    return (grad * grad).mean()

a = x.clone().requires_grad_()
loss = penalty(a)
loss.backward()
print(round(loss.item(), 4), a.grad)
