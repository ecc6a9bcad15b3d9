"""Gradients of tensors that were computed, of parameters that change their dtype, and of Jacobians that go forwards."""

import copy
import warnings

import torch
from torch import nn
from torch.autograd import functional as AF

a = torch.tensor([1.0, 2.0], requires_grad=True)
c = a * 2
d = c * c
d.sum().backward(inputs=[c], retain_graph=True)
print(a.grad, c.grad)
d.sum().backward(inputs=[c, a], retain_graph=True)
print(a.grad, c.grad)
d.sum().backward(inputs=[d])
print(a.grad, c.grad, d.grad)
b = torch.tensor([1.0], requires_grad=True)
e = b * 3
e.retain_grad()
e.sum().backward(inputs=[e])
print(b.grad, e.grad)

layer = nn.Linear(2, 2)
layer(torch.ones(1, 2)).sum().backward()
held = layer.weight.grad
layer.double()
print(layer.weight.grad.dtype, layer.weight.grad is held)
layer(torch.ones(1, 2).double()).sum().backward()
print(layer.weight.grad)
layer.float()
print(layer.weight.grad is held, held.dtype)
layer.to("meta")
print(layer.weight.grad.device, layer.weight.grad.shape)


def heard_of(label, f):
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        f()
    print(label, [str(each.message)[:70] for each in heard])


heard = copy.deepcopy(torch.jit.script(nn.Linear(1, 1)))
for name in ("double", "float", "train", "zero_grad"):
    heard_of(name, getattr(heard, name))
heard_of("to", lambda: heard.to("cpu"))
heard_of("plain", nn.Linear(1, 1).double)

for clip in (lambda: nn.Linear(2, 2).parameters(), lambda: []):
    for foreach in (None, False, True):
        try:
            nn.utils.clip_grad_value_(clip(), 0.5, foreach=foreach)
        except RuntimeError as e:
            print("RuntimeError", e)

v = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
for given in (v, v.detach()):
    for options in ({"vectorize": True}, {"vectorize": True, "strategy": "forward-mode"}, {}, {"create_graph": True}):
        r = AF.jacobian(lambda t: t.exp(), given, **options)
        print(options, r.requires_grad)
