"""What stays an attribute of a frozen module: what is written to, and what shares memory with it."""
import torch
from torch import nn


def show(module):
    try:
        frozen = torch._C._freeze_module(torch.jit.script(module).eval()._c)
    except RuntimeError as error:
        print(type(module).__name__, str(error)[:45])
        return
    print(type(module).__name__, [n for n in "abcd" if frozen.hasattr(n)])


class ListOfWritten(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.tensor([1, 2, 3])
        self.b = [self.a, torch.tensor([10])]

    def forward(self, x):
        self.a[1] += 10
        return self.b[0].sum()


class Overlap(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.tensor([1, 2, 3])
        self.b = [self.a, torch.tensor([10])]

    def forward(self, x):
        return self.b[0].sum() + self.a


class Views(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.tensor([1, 2, 3])
        self.b = self.a.view(3, 1)

    def forward(self, x):
        return self.b + self.a


class WrittenView(Views):
    def forward(self, x):
        self.a += 1
        return self.b + self.a


class Appended(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = [torch.tensor([1, 2, 3])]
        self.b = [self.a[0]]

    def forward(self, x):
        self.a.append(x)
        return self.b[0] + self.a[0]


class ThroughList(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.tensor([1, 2, 3])
        self.b = torch.ones(3)

    def forward(self, x):
        [self.a][0].add_(1)
        y = [self.b]
        y[0].add_(1)
        return self.b + self.a


class ElementWritten(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = [torch.tensor([1, 2, 3])]
        self.b = (torch.tensor([1, 2, 3]), "b")
        self.c = {"c": torch.tensor([1, 2, 3])}
        self.d = torch.zeros(4, 3)

    def forward(self, x):
        self.a[0][1] += 10
        self.b[0][1] += 10
        self.c["c"][1] += 10
        self.d.unbind()[0].add_(1)
        return self.a[0] + self.b[0] + self.c["c"]


for module in (ListOfWritten(), Overlap(), Views(), WrittenView(), Appended(), ThroughList(), ElementWritten()):
    show(module)
