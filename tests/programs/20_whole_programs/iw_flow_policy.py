import io
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
from collections import OrderedDict
from enum import IntEnum, Enum
from typing import Dict, List, NamedTuple, Optional, Tuple, Union


def r4(t):
    return [float("%.4g" % v) if abs(v) > 1e-6 else 0.0 for v in t.detach().flatten().tolist()]


class Gait(Enum):
    STAND = 0
    WALK = 1
    RUN = 2


class Obs(NamedTuple):
    joints: torch.Tensor
    imu: torch.Tensor
    cmd: Tuple[float, float]


class RunningNorm(nn.Module):
    def __init__(self, n: int):
        super().__init__()
        self.register_buffer("mean", torch.zeros(n))
        self.register_buffer("var", torch.ones(n))
        self.register_buffer("count", torch.tensor(1e-4))

    def forward(self, x: torch.Tensor, update: bool) -> torch.Tensor:
        if update:
            b = x.size(0)
            d = x.mean(0) - self.mean
            tot = self.count + b
            m2 = self.var * self.count + x.var(0, unbiased=False) * b + d ** 2 * self.count * b / tot
            self.mean += d * b / tot
            self.var = m2 / tot
            self.count.copy_(tot)
        return ((x - self.mean) / (self.var + 1e-8).sqrt()).clamp(-5.0, 5.0)


class Policy(nn.Module):
    history: List[torch.Tensor]
    last: Optional[torch.Tensor]

    def __init__(self, joints: int, hist: int):
        super().__init__()
        self.n = hist
        self.norm = RunningNorm(joints + 3 + 2)
        self.net = nn.Sequential(OrderedDict([("fc1", nn.Linear((joints + 5) * hist, 16)), ("act", nn.ELU()), ("fc2", nn.Linear(16, joints))]))
        self.register_buffer("limit", torch.linspace(0.5, 1.0, joints))
        self.history = []
        self.last = None
        self.gait = Gait.STAND

    def vec(self, o: Obs) -> torch.Tensor:
        return torch.cat([o.joints, o.imu, torch.tensor(o.cmd)])

    def choose(self, o: Obs) -> Gait:
        speed = math.hypot(o.cmd[0], o.cmd[1]) if False else math.sqrt(o.cmd[0] ** 2 + o.cmd[1] ** 2)
        if speed < 0.1:
            return Gait.STAND
        if speed < 1.0:
            return Gait.WALK
        return Gait.RUN

    def forward(self, o: Obs, smooth: float = 0.5) -> Tuple[torch.Tensor, Gait]:
        x = self.norm(self.vec(o).unsqueeze(0), False)[0]
        self.history.append(x)
        while len(self.history) > self.n:
            self.history.pop(0)
        pad = [torch.zeros_like(x) for _ in range(self.n - len(self.history))]
        a = torch.tanh(self.net(torch.cat(pad + self.history))) * self.limit
        last = self.last
        if last is not None:
            a = smooth * last + (1 - smooth) * a
        self.last = a
        self.gait = self.choose(o)
        if self.gait == Gait.STAND:
            a = a * 0
        return a, self.gait

    @torch.jit.export
    def fit_norm(self, xs: torch.Tensor) -> float:
        for c in xs.split(2):
            self.norm(c, True)
        return float(self.norm.count)

    @torch.jit.export
    def reset(self) -> None:
        self.history = torch.jit.annotate(List[torch.Tensor], [])
        self.last = None


class Coupling(nn.Module):
    mask: torch.Tensor

    def __init__(self, d: int, flip: bool):
        super().__init__()
        m = torch.zeros(d)
        m[(1 if flip else 0)::2] = 1
        self.register_buffer("mask", m)
        self.s = nn.Linear(d, d)
        self.t = nn.Linear(d, d)

    def forward(self, x: torch.Tensor, reverse: bool = False) -> Tuple[torch.Tensor, torch.Tensor]:
        h = x * self.mask
        s = torch.tanh(self.s(h)) * (1 - self.mask)
        t = self.t(h) * (1 - self.mask)
        if reverse:
            return h + (1 - self.mask) * (x - t) * torch.exp(-s), -s.sum(-1)
        return h + (1 - self.mask) * (x * s.exp() + t), s.sum(-1)


class Flow(nn.Module):
    def __init__(self, d: int, n: int):
        super().__init__()
        self.fwd = nn.ModuleList([Coupling(d, i % 2 == 1) for i in range(n)])
        self.bwd = nn.ModuleList(list(self.fwd)[::-1])

    def forward(self, x: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
        ld = torch.zeros(x.size(0))
        for c in self.fwd:
            x, l = c(x)
            ld = ld + l
        return x, ld

    @torch.jit.export
    def inverse(self, z: torch.Tensor) -> torch.Tensor:
        for c in self.bwd:
            z, _ = c(z, True)
        return z

    @torch.jit.export
    def log_prob(self, x: torch.Tensor) -> torch.Tensor:
        z, ld = self.forward(x)
        return ld - 0.5 * (z ** 2 + math.log(2 * math.pi)).sum(-1)


torch.manual_seed(4)
p = torch.jit.script(Policy(3, 2))
print("count", round(p.fit_norm(torch.arange(40.0).view(5, 8)), 3), r4(p.norm.mean[:3]), r4(p.norm.var[:2]))
seq = [Obs(torch.ones(3) * i * 10, torch.zeros(3), (0.4 * i, 0.0)) for i in range(4)]
for o in seq:
    a, g = p(o)
    print(r4(a), g.name, g.value, len(p.history), p.gait == g)
b = io.BytesIO()
torch.jit.save(p, b)
b.seek(0)
q = torch.jit.load(b)
a1, g1 = p(seq[1], smooth=0.0)
try:
    a2, g2 = q(seq[1], smooth=0.0)
    print("loaded", torch.equal(a1, a2), g2.name, len(q.history), str(q.gait))
except Exception as e:
    print(type(e).__name__, str(e).splitlines()[0][:80])
p.reset()
print(p.history, p.last, r4(p(seq[2])[0]))
try:
    p((torch.ones(3), torch.zeros(3), (1.0, 2.0)))
    print("plain tuple accepted")
except Exception as e:
    print(type(e).__name__)
try:
    p(Obs(torch.ones(3), torch.zeros(3), (1.0, "fast")))
except Exception as e:
    print(type(e).__name__)
print([n for n, _ in p.named_buffers()], [n for n, _ in p.named_modules()])

fl = torch.jit.script(Flow(4, 3))
x = torch.linspace(-1, 1, 12).view(3, 4)
z, ld = fl(x)
print(r4(ld), torch.allclose(fl.inverse(z), x, atol=1e-5), r4(fl.log_prob(x)))
J = torch.autograd.functional.jacobian(lambda v: fl(v[None])[0][0], x[1])
print("logdet", torch.allclose(torch.linalg.slogdet(J)[1], ld[1], atol=1e-5))
opt = torch.optim.Adam(fl.parameters(), 0.05)
ls = []
for _ in range(10):
    l = -fl.log_prob(x).mean()
    opt.zero_grad()
    l.backward()
    opt.step()
    ls.append(l.item())
print(float("%.3g" % ls[0]), ls[-1] < ls[0])


@torch.jit.script
def quat_mul(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    w1, x1, y1, z1 = a.unbind(-1)
    w2, x2, y2, z2 = b.unbind(-1)
    return torch.stack([w1 * w2 - x1 * x2 - y1 * y2 - z1 * z2, w1 * x2 + x1 * w2 + y1 * z2 - z1 * y2,
                        w1 * y2 - x1 * z2 + y1 * w2 + z1 * x2, w1 * z2 + x1 * y2 - y1 * x2 + z1 * w2], -1)


@torch.jit.script
def parse(v: Union[int, float, str, List[float]]) -> float:
    if isinstance(v, str):
        return float(len(v))
    elif isinstance(v, int):
        return float(v * 2)
    elif isinstance(v, float):
        return v / 2
    else:
        return sum(v)


h = math.sqrt(0.5)
print(r4(quat_mul(torch.tensor([h, 0, 0, h]), torch.tensor([h, 0, 0, h]))), [parse(v) for v in (3, 3.0, "abc", [1.0, 2.5])])
