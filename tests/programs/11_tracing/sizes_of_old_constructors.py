"""Sizes that a trace follows make tensors by old constructors, and repeat elements where gradients are asked for."""
import warnings

import torch

warnings.simplefilter("ignore")


def new_by_sizes(x):
    return x.new(*x.size()).fill_(1)


def new_by_parts(x):
    return x.new(x.shape[0], 2).fill_(1)


def floats(x):
    return torch.FloatTensor(x.shape[0], 3).fill_(0)


def repeated(x):
    n = x.shape[1]
    return x.repeat_interleave(n // 2, dim=0), torch.repeat_interleave(x, n, dim=1), x.repeat_interleave(n)


for function in (new_by_sizes, new_by_parts, floats):
    trace = torch.jit.trace(function, torch.ones(2, 3), check_trace=False)
    print(trace.code)
    print(trace(torch.ones(3, 4)).shape)
trace = torch.jit.trace(repeated, torch.arange(8.0).reshape(2, 4).requires_grad_())
print(trace.code)
results = trace(torch.arange(12.0).reshape(2, 6).requires_grad_())
print([r.shape for r in results], torch.autograd.grad(sum(r.sum() for r in results), [r for r in results][0], allow_unused=True)[0].shape)
print(torch.Tensor(torch.tensor([2]), 3).shape, torch.ones(1).new(torch.tensor(2), torch.tensor([3])).shape)
