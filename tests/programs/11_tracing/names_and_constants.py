# values of a trace are named after variables, numbers are tensors, None has no position
import torch


def named(x, y):
    z = x + y
    w = z * 2.5
    return w.sum(), w.sum(1), w.max(1)


def written(x):
    y = x
    y += 1
    x.mul_(2)
    y = y.relu_()
    return y


table = torch.tensor([1.0, 2.0, 3.0])


def constants(x):
    return x + table + torch.tensor(2.0) + torch.tensor([1.0, 2.0, 3.0])


def factories(x):
    n = x.shape[0] * 2 + 1
    return x.new_zeros(n), torch.arange(n), torch.full((x.shape[0], 2), 3.5), torch.zeros_like(x)


for function, inputs in (
    (named, (torch.ones(2, 3), torch.ones(3))),
    (written, (torch.ones(2, 3),)),
    (constants, (torch.ones(4, 3),)),
    (factories, (torch.ones(4, 3),)),
):
    traced = torch.jit.trace(function, inputs)
    print(traced.graph)
    print(traced.code)
