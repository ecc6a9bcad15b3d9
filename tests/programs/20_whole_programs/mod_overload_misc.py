import torch
from torch import nn, Tensor
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple, Union


class Over(nn.Module):
    @torch.jit._overload_method
    def pick(self, x: int) -> int:
        pass

    @torch.jit._overload_method
    def pick(self, x: Tensor) -> Tensor:  # noqa: F811
        pass

    def pick(self, x):  # noqa: F811
        return x + 1

    def forward(self, a: int, b: Tensor) -> Tuple[int, Tensor]:
        return self.pick(a), self.pick(b)


@torch.jit._overload
def fo(x: int) -> int:
    pass


@torch.jit._overload
def fo(x: str) -> str:  # noqa: F811
    pass


def fo(x):  # noqa: F811
    return x + x


@torch.jit.script
def use_fo(n: int, s: str) -> Tuple[int, str]:
    return fo(n), fo(s)


class RNN(nn.Module):
    def __init__(self, h: int):
        super().__init__()
        self.h = h
        self.cell_w = nn.Parameter(torch.full((h, h), 0.5))

    def forward(self, x: Tensor, state: Optional[Tensor] = None) -> Tuple[Tensor, Tensor]:
        if state is None:
            state = torch.zeros(x.size(1), self.h)
        outs: List[Tensor] = []
        for t in range(x.size(0)):
            state = torch.tanh(x[t] + state @ self.cell_w)
            outs.append(state)
        return torch.stack(outs), state


class Mixed(nn.Module):
    def __init__(self):
        super().__init__()
        self.traced = torch.jit.trace(nn.Linear(2, 2, bias=False), torch.ones(1, 2))
        self.scripted = torch.jit.script(RNN(2))
        self.fn = torch.nn.functional.relu
        self.op = use_fo

    def forward(self, x: Tensor) -> Tensor:
        n, s = self.op(x.size(0), "ab")
        y, _ = self.scripted(x.unsqueeze(1))
        return self.fn(y - 0.5) + n + len(s)


class Train(nn.Module):
    def __init__(self):
        super().__init__()
        self.l1 = nn.Linear(2, 3)
        self.l2 = nn.Linear(3, 1)
        for p in self.parameters():
            nn.init.constant_(p, 0.1)

    def forward(self, x: Tensor) -> Tensor:
        return self.l2(torch.tanh(self.l1(x)))


class AnnotDict(nn.Module):
    cache: Dict[int, Tensor]
    opt: Optional[int]
    xs: List[Tuple[int, str]]

    def __init__(self):
        super().__init__()
        self.cache = {}
        self.opt = None
        self.xs = []
        self.unused_fn = lambda q: q

    def forward(self, k: int) -> Tensor:
        if k not in self.cache:
            self.cache[k] = torch.full([2], float(k))
            self.xs.append((k, "miss"))
        else:
            self.xs.append((k, "hit"))
        o = self.opt
        self.opt = k if o is None else o + k
        return self.cache[k]


def attempt(name, f):
    try:
        print(name, "->", f())
    except Exception as e:
        ls = [x for x in str(e).split("\n") if x.strip()]
        print(name, type(e).__name__, "|", ls[0].split(" (of Python")[0] if ls else "")


def r4(t):
    return [round(v, 4) for v in t.detach().flatten().tolist()]


attempt("overload", lambda: torch.jit.script(Over())(1, torch.ones(2)))
attempt("fo", lambda: use_fo(2, "x"))
rnn = torch.jit.script(RNN(2))
seq = torch.arange(6.0).reshape(3, 1, 2) * 0.1
attempt("rnn", lambda: [r4(t) for t in rnn(seq)])
attempt("rnn state", lambda: r4(rnn(seq, torch.ones(1, 2))[1]))
mx = Mixed()
mx.traced.weight.data.fill_(1.0)
smx = torch.jit.script(mx)
attempt("mixed", lambda: r4(smx(torch.ones(2, 2))))
attempt("mixed types", lambda: (type(smx.traced).__name__, type(smx.scripted).__name__))
tr = torch.jit.script(Train())
opt = torch.optim.SGD(tr.parameters(), lr=0.1, momentum=0.5)
data = torch.tensor([[0.0, 1.0], [1.0, 0.5]])
target = torch.tensor([[1.0], [-1.0]])
for step in range(4):
    opt.zero_grad()
    loss = torch.nn.functional.mse_loss(tr(data), target)
    loss.backward()
    opt.step()
    print("loss", step, round(loss.item(), 4))
attempt("weights", lambda: {n: r4(p) for n, p in tr.named_parameters()})
ad = torch.jit.script(AnnotDict())
attempt("cache", lambda: (ad(1), ad(2), ad(1), ad.xs, ad.opt, sorted(ad.cache)))
attempt("cache set", lambda: (setattr(ad, "opt", None), ad(9), ad.opt, len(ad.cache)))
attempt("fork", lambda: torch.jit.script(forked)(torch.ones(2)))


def work(x: Tensor, k: int) -> Tensor:
    return x * k


def forked(x: Tensor) -> Tensor:
    futs: List[torch.jit.Future[Tensor]] = []
    for i in range(3):
        futs.append(torch.jit.fork(work, x, i))
    out = torch.zeros_like(x)
    for f in futs:
        out = out + torch.jit.wait(f)
    return out


attempt("fork", lambda: torch.jit.script(forked)(torch.ones(2)))
attempt("script if tracing", lambda: torch.jit.script_if_tracing(work)(torch.ones(1), 3))
with torch.jit.optimized_execution(False):
    attempt("unoptimized", lambda: r4(rnn(seq)[1]))
attempt("schema", lambda: rnn.forward.schema)
attempt("no forward", lambda: torch.jit.script(nn.Module()))
attempt("no forward call", lambda: torch.jit.script(nn.Module())(1))
attempt("ScriptModule", lambda: (isinstance(rnn, torch.jit.ScriptModule), isinstance(rnn, nn.Module), isinstance(use_fo, torch.jit.ScriptFunction)))
