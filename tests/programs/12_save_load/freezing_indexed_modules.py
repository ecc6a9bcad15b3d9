"""Modules that choose a submodule when they run cannot be frozen, unless a method that goes is the one that chooses."""

import torch
from torch import Tensor, nn


@torch.jit.interface
class Block(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        pass


class Plus(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x + 1


class Listed(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.ModuleList([Plus(), Plus()])

    def forward(self, x: Tensor) -> Tensor:
        m: Block = self.l[int(x.sum())]
        return m.forward(x)


class Named(nn.Module):
    def __init__(self):
        super().__init__()
        self.d = nn.ModuleDict({"a": Plus()})

    def forward(self, x: Tensor, k: str = "a") -> Tensor:
        m: Block = self.d[k]
        return m.forward(x)


class Beside(Listed):
    def forward(self, x: Tensor) -> Tensor:
        return x * 2

    @torch.jit.export
    def other(self, x: Tensor, i: int) -> Tensor:
        m: Block = self.l[i]
        return m.forward(x)


class Held(nn.Module):
    block: Block

    def __init__(self):
        super().__init__()
        self.block = Plus()

    def forward(self, x: Tensor) -> Tensor:
        return self.block.forward(x)


def tell(name, run):
    try:
        print(name, run())
    except RuntimeError as error:
        print(name, str(error).strip().split("\n")[0])


for kind in (Listed, Named, Beside, Held):
    module = torch.jit.script(kind().eval())
    print(module(torch.ones(1)))
    tell(kind.__name__, lambda: torch.jit.freeze(module)(torch.ones(1)))
    tell(kind.__name__, lambda: torch.jit.optimize_for_inference(module)(torch.ones(1)))
beside = torch.jit.script(Beside().eval())
tell("kept", lambda: torch.jit.freeze(beside, preserved_attrs=["other"]))
