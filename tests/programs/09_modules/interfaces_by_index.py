# module containers indexed by values, through an interface
import torch
import torch.nn as nn

def err(f, *args):
    try:
        print(f(*args))
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")


@torch.jit.interface
class Step(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        pass

    def cost(self, n: int) -> int:
        pass


class Up(nn.Module):
    def forward(self, x):
        return x + 1

    @torch.jit.export
    def cost(self, n: int) -> int:
        return n


class Down(nn.Module):
    def __init__(self):
        super().__init__()
        self.by = 10

    def forward(self, x):
        return x - self.by

    @torch.jit.export
    def cost(self, n: int) -> int:
        return n * 2


class Costless(nn.Module):
    def forward(self, x):
        return x


class Choose(nn.Module):
    first: Step

    def __init__(self, first):
        super().__init__()
        self.first = first
        self.steps = nn.ModuleList([Up(), Down()])
        self.named = nn.ModuleDict({"up": Up(), "down": Down()})

    def forward(self, x, i: int, k: str):
        x = self.first(x)
        step: Step = self.steps[i]
        x = step.forward(x)
        other: Step = self.named[k]
        return other.forward(x), self.first.cost(1) + 0


s = torch.jit.script(Choose(Up()))
for i, k in [(0, "up"), (1, "down"), (0, "down")]:
    print(s(torch.zeros(1), i, k))
s.first = torch.jit.script(Down())
print(s(torch.zeros(1), 0, "up"))
err(setattr, s, "first", torch.jit.script(Costless()))
err(setattr, s, "first", Down())
err(torch.jit.script, Choose(Costless()))
