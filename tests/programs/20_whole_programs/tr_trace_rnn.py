import torch
import torch.nn as nn
from typing import List, Tuple


def r4(t):
    return [float("%.4g" % v) for v in t.detach().double().flatten().tolist()]


class Cell(nn.Module):
    def __init__(self, i, h):
        super().__init__()
        self.ih = nn.Linear(i, 3 * h)
        self.hh = nn.Linear(h, 3 * h)

    def forward(self, x, h):
        xr, xz, xn = self.ih(x).chunk(3, 1)
        hr, hz, hn = self.hh(h).chunk(3, 1)
        r = torch.sigmoid(xr + hr)
        z = torch.sigmoid(xz + hz)
        n = torch.tanh(xn + r * hn)
        return (1 - z) * n + z * h


class Unrolled(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = Cell(3, 4)

    def forward(self, xs, h):
        outs = []
        for x in xs.unbind(0):
            h = self.cell(x, h)
            outs.append(h)
        return torch.stack(outs), h


class ScriptedLoop(torch.nn.Module):
    def __init__(self, cell):
        super().__init__()
        self.cell = cell

    def forward(self, xs: torch.Tensor, h: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
        outs: List[torch.Tensor] = []
        for i in range(xs.size(0)):
            h = self.cell(xs[i], h)
            outs.append(h)
        return torch.stack(outs), h


class Wrap(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.rnn = kind(3, 5, num_layers=2, batch_first=True, bidirectional=True)
        self.out = nn.Linear(10, 2)

    def forward(self, x):
        y, _ = self.rnn(x)
        return self.out(y[:, -1])


torch.manual_seed(3)
xs = torch.randn(4, 2, 3)
h0 = torch.zeros(2, 4)

cell = Cell(3, 4)
tc = torch.jit.trace(cell, (xs[0], h0))
print(tc.code)
print("cell", torch.allclose(tc(xs[1], h0 + 1), cell(xs[1], h0 + 1)))
print("batch 7:", tuple(tc(torch.randn(7, 3), torch.randn(7, 4)).shape))

un = Unrolled()
tu = torch.jit.trace(un, (xs, h0))
y, h = tu(xs, h0)
print("unrolled", r4(h), tuple(y.shape))
print("calls", sum(1 for n in tu.graph.nodes() if n.kind() == "prim::CallMethod"))
print(tu.code)
try:
    tu(torch.randn(6, 2, 3), h0)
    print("accepted")
except RuntimeError as e:
    print("RuntimeError", "unpack" in str(e) or "elements" in str(e))

sl = torch.jit.script(ScriptedLoop(tc))
y2, h2 = sl(torch.randn(6, 2, 3, generator=torch.Generator().manual_seed(1)), h0)
print("scripted loop", tuple(y2.shape), r4(h2))
print(sl.code)
print([n for n, _ in sl.named_parameters()])

for kind in (nn.RNN, nn.GRU, nn.LSTM):
    torch.manual_seed(5)
    m = Wrap(kind).eval()
    t = torch.jit.trace(m, torch.randn(2, 4, 3))
    x = torch.randn(2, 4, 3)
    print(kind.__name__, torch.allclose(t(x), m(x), atol=1e-6), r4(t(x)))
    print([n.kind() for n in t.inlined_graph.nodes() if n.kind() in ("aten::lstm", "aten::gru", "aten::rnn_tanh")])
    print(len(list(t.parameters())), t.rnn.original_name)

lstm = nn.LSTM(2, 3)
tl = torch.jit.trace(lstm, (torch.randn(4, 1, 2), (torch.zeros(1, 1, 3), torch.zeros(1, 1, 3))))
xx = torch.linspace(-1, 1, 10).view(5, 1, 2)
o, (hn, cn) = tl(xx, (torch.ones(1, 1, 3), torch.zeros(1, 1, 3)))
oe, (he, ce) = lstm(xx, (torch.ones(1, 1, 3), torch.zeros(1, 1, 3)))
print("lstm longer", torch.allclose(o, oe), torch.allclose(cn, ce), tuple(o.shape), tl.schema if hasattr(tl, "schema") else "no schema")
print(str(tl.forward.schema).split("self, ")[1])
