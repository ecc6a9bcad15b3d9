"""Hooks of modules that see gradients, of both kinds: what they see, what they may give back, and what is said of what they miss."""

import warnings

import torch
from torch import nn


class Call(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *args, **kwargs):
        return self.function(*args, **kwargs)


def leaf():
    return torch.ones(2, requires_grad=True)


def inner():
    return leaf().exp()


def attempt(name, function, *args, full=True, gives=None):
    module = Call(function)
    register = module.register_full_backward_hook if full else module.register_backward_hook
    register(lambda _, given, made: (print("  ", given, made), gives)[1])
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            result = module(*args)
            while not isinstance(result, torch.Tensor):
                result = sum(result.values() if isinstance(result, dict) else result)
            result.sum().backward()
            print(name, [arg.grad for arg in args if isinstance(arg, torch.Tensor) and arg.is_leaf])
        except Exception as error:
            print(name, type(error).__name__, error)
    for each in heard:
        print("  ", each.category.__name__, each.message)


attempt("no argument requires gradients", lambda a: a * leaf(), torch.ones(2))
attempt("and the hook gives some", lambda a: a * leaf(), torch.ones(2), gives=(torch.ones(2),))
attempt("or none", lambda a: a * leaf(), torch.ones(2), gives=(None,))
attempt("too many", lambda a: a * 2, leaf(), gives=(torch.zeros(2), torch.zeros(2)))
attempt("a number", lambda a: a * 2, leaf(), gives=5)
attempt("a dict", lambda a: {"a": a * 2}, leaf())
attempt("a list", lambda a: [a * 2], leaf())
attempt("mixed", lambda a: (a * 2, 3), leaf())
for function, args in (
    (lambda a: a.sin(), [leaf()]),
    (lambda a: a.sin(), [inner()]),
    (lambda a, b: a * b, [inner(), inner()]),
    (lambda a, b: a * b, [inner(), torch.ones(2)]),
    (lambda a, b: a.sin(), [inner(), torch.ones(2)]),
    (lambda a: a.sin().sin(), [inner()]),
    (lambda a: a[0] * 2, [[leaf()]]),
    (lambda a: (a * 2, a * 3), [leaf()]),
    (lambda a: a.unbind(), [leaf()]),
    (lambda a: [a * 2], [leaf()]),
    (lambda a: {"a": a * 2, "b": a * 3}, [leaf()]),
):
    attempt("old", function, *args, full=False)
attempt("old, changed", lambda a: a * 2, leaf(), full=False, gives=(torch.zeros(2), None))

for gives in (None, torch.zeros(2), (torch.zeros(2),), (torch.zeros(2),) * 2, 5):
    module, x = Call(lambda a: a * 2), leaf()
    module.register_full_backward_pre_hook(lambda _, made: (print("before", made), gives)[1])
    try:
        module(x).sum().backward()
        print(x.grad)
    except Exception as error:
        print(type(error).__name__, error)
