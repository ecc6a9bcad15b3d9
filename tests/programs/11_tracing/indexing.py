# every step of an index is an operator of the trace
import torch


def reads(x, i):
    return x[0], x[1:], x[..., None], x[:, ::2], x[i], x[i, 0], x[x > 0], x[[0, 1]]


def writes(x):
    x[0] = 1
    x[1:, 0] = 2.5
    x[x > 3] = 0
    x[:, 1] = x[:, 2]
    return x


def sizes(x):
    return x[0 : x.size(0)] * x.shape[1], x.view(x.size(0), -1), x.reshape(-1, x.numel())


for function, inputs in (
    (reads, (torch.ones(4, 3), torch.tensor([0, 1]))),
    (writes, (torch.ones(4, 3),)),
    (sizes, (torch.ones(4, 3),)),
):
    traced = torch.jit.trace(function, inputs)
    print(traced.graph)
    print(traced.code)
