"""Assigned values lose leading dimensions of one; dictionaries by number and by tensor; graphs as they run."""
import re
import warnings

import torch

warnings.simplefilter("ignore")


def bare(graph):
    return re.sub(" #.*", "", str(graph))


def by_index(t, i, r):
    t[i] = r
    return t


def by_slice(t, r):
    t[1:3] = r
    return t


def in_row(t, i, r):
    t[0, i] = r
    return t


for function, inputs in (
    (by_index, (torch.rand(100), torch.tensor([1, 2, 3, 4]), torch.rand(1, 1, 1, 4))),
    (by_index, (torch.rand(10), torch.tensor([1, 2]), torch.rand(2))),
    (by_slice, (torch.rand(10), torch.rand(1, 1, 2))),
    (by_slice, (torch.rand(10), torch.rand(1))),
    (by_slice, (torch.rand(10), torch.rand(2))),
    (in_row, (torch.rand(3, 10), torch.tensor([1, 2]), torch.rand(1, 2))),
):
    print(bare(torch.jit.trace(function, inputs, check_trace=False).graph))

t = torch.zeros(4)
t[1:3] = torch.ones(1, 1, 2)
t[torch.tensor([0])] = torch.full((1, 1), 5.0)
print(t)


def arithmetic(x):
    x = x + 2
    x = x - 4
    x = x * 6
    return x / 8


x = torch.randn(4, 4)
traced = torch.jit.trace(arithmetic, (x,))
arithmetic(x)
text = bare(traced.graph_for(x))
print(text.count(": int = prim::Constant"), "Float" in text)


class ByNumber(torch.nn.Module):
    def forward(self, given):
        return given["x"][1]


traced = torch.jit.trace(ByNumber(), ({"x": {1: torch.tensor(1)}},))
print(traced({"x": {1: torch.tensor(2)}}))


class ByTensor(torch.nn.Module):
    def forward(self, a, b):
        return {a: b, b: a}


traced = torch.jit.trace(ByTensor(), (torch.ones(2), torch.zeros(2)), strict=False)
print([(k.tolist(), v.tolist()) for k, v in traced(torch.ones(2), torch.full((2,), 3.0)).items()])

with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")

    def writes(x):
        x.view(-1).add_(1)
        return x

    torch.jit.trace(writes, torch.rand(3, 4), _force_outplace=True, check_trace=False)
    print([w.category.__name__ for w in seen], "live references" in str(seen[-1].message))
