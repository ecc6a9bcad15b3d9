# Bools where a list of one type is made of several arguments: numbers, by conversion.
import torch


def f(a: bool, b: bool):
    return max(a, b), min(a, b), max(a, b, a), all(a), any(a, b), sum(a, b), sorted(a, b)


def g(x):
    return x.view(-1), x.permute(1, 0), torch.zeros(2, 3).size()


torch.jit.script(f)
print(torch.jit.script(f).code)
print(torch.jit.script(f)(True, False))
print(torch.jit.script(g).code)
print(torch.jit.script(g)(torch.ones(1, 2)))
