"""Numbers and order of constants in frozen modules, the code printed of them, and freezing twice."""
import torch
from torch import nn


def flat(g):
    return "\n".join(l.split(" # ")[0].rstrip() for l in str(g).split("\n"))
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(2, 2)
        with torch.no_grad():
            self.lin.weight.fill_(1.); self.lin.bias.fill_(0.5)
        self.scale = 2.0
        self.register_buffer("offset", torch.tensor([1., -1.]))
        self.n = 3
    def forward(self, x):
        y = self.lin(x)
        if self.scale > 1.0:
            y = y * self.scale
        return y + self.offset
class Two(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = Net(); self.b = Net()
        self.sizes = [2, 3]
    def forward(self, x):
        x = torch.relu(self.a(x))
        z = self.b(x) + len(self.sizes)
        return z, self.sizes
class Conv(nn.Module):
    def __init__(self):
        super().__init__()
        self.c = nn.Conv2d(1, 1, 1)
        with torch.no_grad(): self.c.weight.fill_(1.); self.c.bias.fill_(0.5)
        self.bn = nn.Dropout(0.5)
        self.r = nn.ReLU()
    def forward(self, x):
        y = self.r(self.c(x))
        y = self.bn(y)
        y = nn.functional.max_pool2d(y, 2)
        return y.flatten(1)
for c in (Net, Two, Conv):
    m = torch.jit.script(c().eval())
    print(flat(m.graph))
    f = torch.jit.freeze(m)
    print(flat(f.graph))
    print(f.code)
    try: torch.jit.freeze(f)
    except Exception as e: print(type(e).__name__, e)
