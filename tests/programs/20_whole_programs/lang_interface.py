import torch
from torch import nn, Tensor
from typing import Dict, List, Tuple


@torch.jit.interface
class Transform:
    def one(self, x: int) -> int:
        pass

    def two(self, x: Tensor, y: float) -> Tensor:
        pass


@torch.jit.script
class Doubler:
    def __init__(self):
        self.calls = 0

    def one(self, x: int) -> int:
        self.calls += 1
        return x * 2

    def two(self, x: Tensor, y: float) -> Tensor:
        return x * 2 + y


@torch.jit.script
class Shifter:
    def __init__(self, k: int):
        self.k = k

    def one(self, x: int) -> int:
        return x + self.k

    def two(self, x: Tensor, y: float) -> Tensor:
        return x + self.k - y

    def extra(self) -> int:
        return self.k


@torch.jit.script
def pipeline(n: int) -> List[int]:
    stages: List[Transform] = []
    for i in range(n):
        if i % 2 == 0:
            stages.append(Doubler())
        else:
            stages.append(Shifter(i))
    out: List[int] = []
    v = 1
    for s in stages:
        v = s.one(v)
        out.append(v)
    return out


@torch.jit.script
def use(t: Transform, x: Tensor) -> Tensor:
    return t.two(x, 0.5) * t.one(3)


@torch.jit.script
def choose(flag: bool, x: Tensor) -> Tensor:
    t: Transform = Doubler()
    if flag:
        t = Shifter(7)
    return use(t, x)


@torch.jit.script
def registry(name: str, v: int) -> int:
    d: Dict[str, Transform] = {"d": Doubler(), "s": Shifter(100)}
    return d[name].one(v)


@torch.jit.interface
class ModIface(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        pass


class Relu(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x.relu()


class Neg(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return -x


class Bad(nn.Module):
    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return x + y


class Holder(nn.Module):
    impl: ModIface

    def __init__(self, impl: nn.Module):
        super().__init__()
        self.impl = impl

    def forward(self, x: Tensor) -> Tensor:
        return self.impl.forward(x) + 1


class Indexed(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([Relu(), Neg(), Relu()])
        self.table = nn.ModuleDict({"r": Relu(), "n": Neg()})

    def forward(self, x: Tensor, i: int, k: str) -> Tensor:
        m: ModIface = self.layers[i]
        d: ModIface = self.table[k]
        return m.forward(x) * 10 + d.forward(x)


def mask(s):
    while "at: 0x" in s:
        i = s.index("at: 0x")
        s = s[:i] + "ADDR" + s[s.index(")", i):]
    return s


def attempt(name, f):
    try:
        print(name, "->", f())
    except Exception as e:
        ls = [x for x in str(e).split("\n") if x.strip()]
        print(name, type(e).__name__, "|", mask(ls[0]) if ls else "", "|", mask(ls[-1]) if ls else "")


x = torch.tensor([-1.0, 2.0])
attempt("pipeline", lambda: pipeline(5))
attempt("choose", lambda: (choose(True, x), choose(False, x)))
attempt("use", lambda: use(Doubler(), x))
attempt("registry", lambda: (registry("d", 5), registry("s", 5)))
attempt("registry miss", lambda: registry("q", 5))
m = None
attempt("holder relu", lambda: torch.jit.script(Holder(Relu()))(x))
attempt("holder neg", lambda: torch.jit.script(Holder(Neg()))(x))
attempt("holder bad", lambda: torch.jit.script(Holder(Bad()))(x))
im = torch.jit.script(Indexed())
for i, k in ((0, "r"), (1, "n"), (-1, "n")):
    attempt("indexed %d %s" % (i, k), lambda: im(x, i, k))
attempt("indexed oob", lambda: im(x, 7, "r"))
attempt("indexed key", lambda: im(x, 0, "zz"))
h = torch.jit.script(Holder(Relu()))
attempt("swap", lambda: (setattr(h, "impl", torch.jit.script(Neg())), h(x)))
attempt("swap bad", lambda: (setattr(h, "impl", torch.jit.script(Bad())), h(x)))
attempt("plain class", lambda: use(3, x))


def wrong(n: int) -> int:
    t: Transform = torch.ones(1)
    return t.one(n)


def noattr(t: Transform) -> int:
    return t.extra()


attempt("wrong", lambda: torch.jit.script(wrong)(1))
attempt("noattr", lambda: torch.jit.script(noattr))
print(use.schema.name, [str(a.type).split(".")[-1] for a in use.schema.arguments])
