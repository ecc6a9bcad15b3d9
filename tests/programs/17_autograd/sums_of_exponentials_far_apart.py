"""Gradients of `logcumsumexp` where exponentials are too small for numbers, and of dropout in place that shifts what it keeps."""

import torch
import torch.nn.functional as F

x = torch.tensor([[-100.0, 0.0], [-3.0, 80.0], [20.0, 0.5], [200.0, -200.0]], requires_grad=True)
weights = torch.arange(1.0, 9.0).reshape(4, 2)
for sign in (1, -1):
    out = torch.logcumsumexp(x, 0)
    print(torch.autograd.grad((out * weights * sign).sum(), x)[0])
mixed = torch.autograd.grad((torch.logcumsumexp(x, 0) * (weights - 4)).sum(), x)[0]
print(mixed)
near = torch.tensor([0.5, -1.0, 2.0, 0.25], dtype=torch.float64, requires_grad=True)
print(torch.autograd.gradcheck(lambda t: torch.logcumsumexp(t, 0), (near,)))
print(torch.autograd.gradgradcheck(lambda t: torch.logcumsumexp(t, 0), (near,)))
z = torch.tensor([1 + 2j, -3 - 1j, 0.5j], requires_grad=True)
print(torch.autograd.grad(torch.logcumsumexp(z, 0).abs().sum(), z)[0])

for dtype in (torch.float32, torch.float64, torch.bfloat16):
    for name in ("alpha_dropout", "feature_alpha_dropout"):
        for p, training in ((0.5, True), (0.25, True), (0.5, False), (0.0, True), (1.0, True)):
            grads = []
            for inplace in (False, True):
                torch.manual_seed(3)
                t = torch.linspace(-2, 3, 24, dtype=dtype).reshape(2, 3, 2, 2).requires_grad_()
                out = getattr(F, name)(t.clone(), p, training, inplace)
                grads.append(torch.autograd.grad((out * 2).sum(), t)[0])
            print(name, dtype, p, training, torch.equal(*grads), round(float(grads[0].float().sum()), 3))

start = torch.tensor(1.0, requires_grad=True)
print(torch.linspace(start, 2, 3).requires_grad, torch.logspace(0, start, 3).requires_grad)
