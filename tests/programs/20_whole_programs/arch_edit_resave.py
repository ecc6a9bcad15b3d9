# Load, change, resave several generations; class objects, enums and NamedTuples in archives; torch.save mixing.
import copy
import io
import torch
import torch.nn as nn
from enum import Enum
from typing import Dict, List, NamedTuple, Optional, Tuple


def r(t):
    return [float("%.4g" % v) for v in t.detach().double().flatten().tolist()]


class Level(Enum):
    LOW = 0
    HIGH = 10


class Pt(NamedTuple):
    x: float
    label: str


@torch.jit.script
class Counter:
    def __init__(self, start: int):
        self.n = start
        self.names: List[str] = []

    def bump(self, who: str) -> int:
        self.n += 1
        self.names.append(who)
        return self.n


class Gen(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 2)])
        self.level = Level.HIGH
        self.register_buffer("gen", torch.tensor(0))
        self.bias = nn.Parameter(torch.zeros(2))
        with torch.no_grad():
            for i, l in enumerate(self.layers):
                l.weight.copy_(torch.tensor([[1.0, 2.0], [3.0, 4.0]]) / (i + 1))
                l.bias.fill_(0.5 * i)

    def forward(self, x: torch.Tensor, p: Optional[Pt] = None) -> Tuple[torch.Tensor, Pt]:
        c = Counter(int(self.gen))
        for l in self.layers:
            x = l(x)
            c.bump("layer")
        if self.level == Level.HIGH:
            x = x + self.level.value
        if p is not None:
            x = x * p.x
            c.bump(p.label)
        return x + self.bias, Pt(float(c.n), "/".join(c.names))

    @torch.jit.export
    def next_gen(self) -> int:
        self.gen += 1
        self.level = Level.LOW if self.level == Level.HIGH else Level.HIGH
        return int(self.gen)


def cycle(m):
    b = io.BytesIO()
    m.save(b) if False else torch.jit.save(m, b)
    b.seek(0)
    return torch.jit.load(b)


x = torch.tensor([1.0, -1.0])
m = torch.jit.script(Gen())
y, pt = m(x)
print(r(y), pt.x, pt.label)
cur = m
for g in range(3):
    cur = cycle(cur)
    with torch.no_grad():
        cur.layers.__getattr__("0").weight.mul_(0.5)
    n = cur.next_gen()
    y, pt = cur(x, Pt(2.0, "p%d" % g)) if g == 0 else cur(x)
    print(g, n, r(y), tuple(pt), len(pt))
print(m.gen.item(), r(m(x)[0]))
print(sorted(cur.state_dict().keys()))
s = cur.save_to_buffer()
print(isinstance(s, bytes), r(torch.jit.load(io.BytesIO(s))(x)[0]))
d = copy.deepcopy(cur)
d.next_gen()
print(d.gen.item(), cur.gen.item(), r(d(x)[0]) == r(cur(x)[0]))
# state dict to eager and back
e = Gen()
print(e.load_state_dict(cur.state_dict()), e.gen.item(), e.level)
b = io.BytesIO()
torch.save(cur.state_dict(), b)
b.seek(0)
sd = torch.load(b)
print(list(sd), r(sd["layers.0.weight"]))
# loaded module inside a new module
class Host(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner
        self.mul = 3

    def forward(self, x):
        out = self.inner(x)
        return out[0] * self.mul


h = torch.jit.script(Host(cur))
print(r(h(x)), r(h.inner.layers.__getattr__("1").bias))
h2 = cycle(h)
h2.mul = -1
print(r(h2(x)), h2.inner.gen.item(), h.mul)
two = torch.jit.script(nn.Sequential(cycle(torch.jit.script(nn.Linear(2, 2, bias=False))), cycle(torch.jit.script(nn.ReLU()))))
with torch.no_grad():
    two[0].weight.copy_(torch.eye(2))
print(r(two(x)), r(cycle(two)(x)))
# train a loaded module, freeze it, resave
opt = torch.optim.SGD(cur.parameters(), lr=0.1)
losses = []
for _ in range(3):
    opt.zero_grad()
    loss = (cur(x)[0] - 1).pow(2).mean()
    loss.backward()
    opt.step()
    losses.append(float("%.4g" % loss.item()))
print(losses)
fz = cycle(torch.jit.freeze(cur.eval()))
print(r(fz(x)[0]) == r(cur(x)[0]), list(fz.state_dict()), hasattr(fz, "next_gen"))
fz64 = cycle(cycle(m).double())
print(fz64.bias.dtype, r(fz64(x.double())[0]))
for tag, fn in [("dtype", lambda: fz64(x)), ("old attr", lambda: cur.level_name), ("type", lambda: setattr(cur, "level", 3)),
                ("tuple arg", lambda: r(cur(x, (1.0, "t"))[0]) and "ok"), ("bad tuple", lambda: cur(x, ("t", 1.0))),
                ("shape", lambda: cur.load_state_dict({"gen": torch.zeros(3)}, strict=False)), ("recompile", lambda: type(torch.jit.script(cur)).__name__ != "")]:
    try:
        print(tag, fn())
    except Exception as e:
        print(tag, type(e).__name__)
