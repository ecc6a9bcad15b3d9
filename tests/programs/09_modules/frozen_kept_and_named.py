# What freezing keeps, what it folds and what constants are called: lists that nobody sees, None, norms behind layers,
# parts that are to stay.
import re
from typing import List

import torch
from torch import nn

torch.manual_seed(0)


def frozen(module, *keep, **options):
    return torch.jit.freeze(torch.jit.script(module.eval()), preserved_attrs=list(keep), **options)


def kinds(block):
    out = []
    for node in block.nodes():
        inner = [kinds(b) for b in node.blocks()]
        if node.kind() != "prim::Constant":
            out.append((node.kind().split("::")[1], inner) if inner else node.kind().split("::")[1])
    return out


def named(graph):
    return re.findall(r"%([\w.]*(?:fused|bias|None|self)[\w.]*) : (\w+)", str(graph).split("return")[0])


class Collects(nn.Module):
    def __init__(self, steps=0):
        super().__init__()
        self.parts = nn.ModuleList([nn.Linear(1, 1), nn.Linear(1, 1)])
        self.steps = steps

    def features(self, x):
        seen: List[torch.Tensor] = []
        for i, part in enumerate(self.parts):
            x = part(x)
            seen.append(x)
        for i in range(self.steps):
            seen.append(x)
        return x, seen

    def forward(self, x):
        y, _ = self.features(x)
        return y


for steps in (0, 2):
    for options in ({}, {"optimize_numerics": False}):
        print(steps, options, kinds(frozen(Collects(steps), **options).graph))


class Norm(nn.Module):
    def __init__(self, how):
        super().__init__()
        self.layer = nn.Linear(8, 3)
        self.norm = nn.BatchNorm1d(3)
        self.how: int = how
        self.norm.running_mean.copy_(torch.rand(3))

    def forward(self, x):
        y = self.layer(x)
        z = self.norm(y)
        if self.how == 0:
            return z
        elif self.how == 1:
            return z + y.size(0) + len(y) + y.numel()
        elif self.how == 2:
            return z if y.dtype == torch.float64 else z + 1
        else:
            return z + (1 if y.is_cuda else y.shape[1])


for how in range(4):
    module, x = Norm(how), torch.rand(2, 8)
    made = frozen(module)
    print(how, kinds(made.graph), torch.allclose(made(x), module(x), atol=1e-5))


class Nones(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(1, 2, 1, bias=False)
        self.norm = nn.BatchNorm2d(2)
        self.second = nn.Conv2d(2, 2, 1, bias=False)
        self.again = nn.BatchNorm2d(2, affine=False)
        self.third = nn.Conv2d(2, 2, 1, bias=False)
        self.by = nn.Parameter(torch.rand(1))
        self.register_buffer("nothing", None)

    def forward(self, x):
        x = self.again(self.second(self.norm(self.first(x))))
        if self.nothing is not None:
            x = x + self.nothing
        return self.third(x) * self.by


for options in ({}, {"optimize_numerics": False}):
    print(named(frozen(Nones(), **options).graph))


class Inner(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(1, 1)
        self.k = 3
        self.register_buffer("shift", torch.rand(1))

    def forward(self, x):
        return self.layer(x) * self.shift + self.k


class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.kept = Inner()
        self.folded = Inner()

    def forward(self, x):
        return self.folded(self.kept(x))


for keep in ((), ("kept",), ("kept.k",), ("kept.layer",), ("kept", "folded")):
    made = frozen(Outer(), *keep)
    reads = [node.s("name") for node in made.graph.findAllNodes("prim::GetAttr")]
    print(keep, reads, hasattr(made, "kept"), hasattr(made, "folded"))
made = frozen(Outer(), "kept")
before = made(torch.zeros(1))
made.kept.k = 13
print(torch.equal(made(torch.zeros(1)), before))


class Bags(nn.Module):
    def __init__(self, mode):
        super().__init__()
        self.bag = nn.EmbeddingBag(9, 4, mode=mode)

    def forward(self, x, starts):
        return self.bag(x, starts)


print(kinds(frozen(Bags("mean")).graph))
print(torch.jit.script(nn.ConvTranspose2d(1, 1, 2)).code)
