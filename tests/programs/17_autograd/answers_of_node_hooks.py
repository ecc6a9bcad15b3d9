# Hooks of nodes and of modules answer with tuples of tensors like the gradients, or are refused by their names.
import functools

import torch
from torch import nn


def attempt(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, str(error).split("\n")[0])


def after(hook):
    x = torch.ones(2, requires_grad=True)
    y = x.exp()
    y.grad_fn.register_hook(hook)
    y.sum().backward()
    return x.grad


def before(hook):
    x = torch.ones(2, requires_grad=True)
    y = x.exp()
    y.grad_fn.register_prehook(hook)
    y.sum().backward()
    return x.grad


def of_module(hook):
    torch.manual_seed(0)
    layer, x = nn.Linear(2, 2), torch.ones(1, 2, requires_grad=True)
    layer.register_full_backward_hook(hook)
    layer(x).sum().backward()
    return x.grad


class Callable:
    def __call__(self, *gradients):
        return (torch.ones(3),)


def wide(*gradients):
    return (torch.ones(2).double(),)


answers = [torch.ones(2), (torch.ones(2) * 5,), [torch.ones(2)], (None,), (3,), (), "a", (torch.ones(2, 1),)]
for answer in answers:
    attempt(lambda: after(lambda *gradients: answer))
    attempt(lambda: before(lambda *gradients: answer))
for hook in (Callable(), wide, functools.partial(wide)):
    attempt(lambda: after(hook))
    attempt(lambda: before(hook))
for answer in [(torch.ones(1, 2) * 7,), [torch.ones(1, 2) * 7], "a", (3,), (torch.ones(2, 2),), (torch.ones(1, 2).double(),), ()]:
    attempt(lambda: of_module(lambda m, given, known: answer))
