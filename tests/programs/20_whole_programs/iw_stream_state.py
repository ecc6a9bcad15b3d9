import io
import copy
import torch
import torch.nn as nn
import torch.nn.functional as F
from typing import Dict, List, Optional, Tuple


def r4(t):
    return [float("%.4g" % v) if abs(v) > 1e-5 else 0.0 for v in t.detach().flatten().tolist()]


class CausalConv(nn.Module):
    buf: torch.Tensor

    def __init__(self, c: int, k: int, dil: int):
        super().__init__()
        self.conv = nn.Conv1d(c, c, k, dilation=dil)
        self.pad = (k - 1) * dil
        self.register_buffer("buf", torch.zeros(1, c, self.pad))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.cat([self.buf, x], 2)
        self.buf = y[:, :, y.size(2) - self.pad:]
        return self.conv(y)

    @torch.jit.export
    def reset(self):
        self.buf = torch.zeros_like(self.buf)


class Streamer(nn.Module):
    hist: List[float]
    vad_state: Optional[int]

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([CausalConv(2, 3, d) for d in (1, 2, 4)])
        self.gru = nn.GRUCell(2, 3)
        self.register_buffer("h", torch.zeros(1, 3))
        self.seen = 0
        self.hist = []
        self.vad_state = None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x
        for l in self.layers:
            y = torch.tanh(l(y)) + y
        outs: List[torch.Tensor] = []
        for t in range(y.size(2)):
            self.h = self.gru(y[:, :, t], self.h)
            outs.append(self.h)
        self.seen += x.size(2)
        e = float(x.pow(2).mean())
        self.hist.append(round(e * 10000) / 10000)
        vs = self.vad_state
        if vs is None:
            if e > 0.5:
                self.vad_state = self.seen
        elif e < 0.1:
            self.vad_state = None
        return torch.stack(outs, 2)

    @torch.jit.export
    def reset(self):
        for l in self.layers:
            l.reset()
        self.h = torch.zeros(1, 3)
        self.seen = 0
        self.hist.clear()
        self.vad_state = None

    @torch.jit.export
    def status(self) -> Tuple[int, List[float], Optional[int]]:
        return self.seen, self.hist, self.vad_state


class Ring(nn.Module):
    def __init__(self, n: int):
        super().__init__()
        self.register_buffer("data", torch.zeros(n))
        self.pos = 0
        self.full = False

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for i in range(x.numel()):
            self.data[self.pos] = x[i]
            self.pos += 1
            if self.pos == self.data.numel():
                self.pos = 0
                self.full = True
        if not self.full:
            return self.data[:self.pos]
        return torch.cat([self.data[self.pos:], self.data[:self.pos]])


class Biquad(nn.Module):
    def __init__(self, b: List[float], a: List[float]):
        super().__init__()
        self.b, self.a = b, a
        self.z1 = 0.0
        self.z2 = 0.0

    def forward(self, x: List[float]) -> List[float]:
        out: List[float] = []
        for v in x:
            y = self.b[0] * v + self.z1
            self.z1 = self.b[1] * v - self.a[0] * y + self.z2
            self.z2 = self.b[2] * v - self.a[1] * y
            out.append(y)
        return out


torch.manual_seed(12)
eager = Streamer().eval()
s = torch.jit.script(copy.deepcopy(eager))
x = torch.randn(1, 2, 20)
with torch.no_grad():
    whole = s(x)
    s.reset()
    parts = torch.cat([s(c) for c in x.split([5, 1, 7, 7], dim=2)], 2)
print("chunked equal", torch.allclose(whole, parts, atol=1e-6), r4(parts[0, :, -1]))
print(s.status())
with torch.no_grad():
    print("eager equal", torch.allclose(eager(x), whole, atol=1e-6))
    s(x * 0)
    print(s.status()[2], s.seen, len(s.hist))
b = io.BytesIO()
torch.jit.save(s, b)
b.seek(0)
l = torch.jit.load(b)
print("restored", l.seen, l.hist, l.vad_state, torch.equal(l.h, s.h), torch.equal(getattr(l.layers, "2").buf, getattr(s.layers, "2").buf))
with torch.no_grad():
    print("continue equal", torch.equal(l(x[:, :, :4]), s(x[:, :, :4])))
    l.reset()
    print(l.status(), s.seen, torch.allclose(l(x), whole, atol=1e-6))
print([n for n, _ in l.named_buffers()])
c = s.copy() if hasattr(s, "copy") else None
d = copy.deepcopy(s)
d.reset()
print("deepcopy independent", s.seen, d.seen, float(getattr(s.layers, "0").buf.abs().sum()) > 0, d.hist)

ring = torch.jit.script(Ring(5))
for k in (2, 2, 3, 6):
    v = ring(torch.arange(float(k)) + 10 * k)
    print(v.tolist(), ring.pos, ring.full)
bq = torch.jit.script(Biquad([0.2, 0.4, 0.2], [-0.3, 0.1]))
print([round(v, 4) for v in bq([1.0, 0.0, 0.0])], [round(v, 4) for v in bq([0.0, 0.0])], round(bq.z1, 5), round(bq.z2, 5))
bq.z1 = bq.z2 = 0.0
print([round(v, 4) for v in bq([1.0] * 4)])
try:
    bq([1, 2])
    print("ints accepted")
except RuntimeError as e:
    print(type(e).__name__)


@torch.jit.script
def online(xs: List[float]) -> Tuple[float, float, Tuple[float, float], int]:
    n, mean, m2 = 0, 0.0, 0.0
    lo, hi = float("inf"), -float("inf")
    run = 0
    best = 0
    for v in xs:
        n += 1
        d = v - mean
        mean += d / n
        m2 += d * (v - mean)
        lo, hi = min(lo, v), max(hi, v)
        run = run + 1 if v > mean else 0
        best = max(best, run)
    return mean, (m2 / (n - 1)) ** 0.5 if n > 1 else 0.0, (lo, hi), best


print(online([1.0, 4.0, 2.0, 8.0, 9.0]), online([3.0]), online([]))
