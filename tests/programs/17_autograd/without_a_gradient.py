# Nodes that programs define run without a gradient, too, which their backward sees as zeros; hooks of modules may leave gradients out.
import warnings

import torch
from torch import nn

warnings.simplefilter("ignore")


class Shown(torch.autograd.Function):
    @staticmethod
    def forward(ctx, name, x):
        ctx.name = name
        return x * 1

    @staticmethod
    def backward(ctx, gradient):
        print(ctx.name, gradient)
        return None, None if ctx.name == "stops" else gradient


x = torch.ones(2, requires_grad=True)
Shown.apply("stops", Shown.apply("before", x).sigmoid()).sum().backward()
print(x.grad)


class Undefined(Shown):
    @staticmethod
    def forward(ctx, name, x):
        ctx.set_materialize_grads(False)
        return Shown.forward(ctx, name, x)

    backward = Shown.backward


y = torch.ones(2, requires_grad=True)
Shown.apply("stops", Undefined.apply("undefined", y)).sum().backward()
print(y.grad)


def run(module, before, after=None):
    for p in module.parameters():
        nn.init.constant_(p, 0.5)
    x = torch.ones(1, 2, requires_grad=True)
    module.register_full_backward_pre_hook(before)
    if after is not None:
        module.register_full_backward_hook(after)
    results = module(x)
    sum(r.sum() for r in ([results] if isinstance(results, torch.Tensor) else results)).backward()
    print(x.grad, [p.grad for p in module.parameters()])


class Two(nn.Module):
    def forward(self, x):
        return x * 2, x * 3


def show(module, of_arguments, of_results):
    print(of_arguments, of_results)


run(nn.Linear(2, 1), lambda m, g: (None,))
run(nn.Linear(2, 1), lambda m, g: (None,), show)
run(nn.Linear(2, 1), lambda m, g: [g[0] * 2], show)
run(Two(), lambda m, g: (None, g[1]), show)
run(Two(), lambda m, g: (None, None), show)
layers = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
layers[0].register_full_backward_hook(show)
layers[2].register_full_backward_pre_hook(lambda m, g: (None,))
layers(torch.ones(1, 2)).sum().backward()
print([p.grad for p in layers.parameters()])
