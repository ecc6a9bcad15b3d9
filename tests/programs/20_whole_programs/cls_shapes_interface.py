# Module interfaces, class interfaces, enums and dispatch.
import torch
import torch.nn as nn
from enum import Enum
from typing import Dict, List, Tuple, Optional


class Op(Enum):
    ADD = 1
    MUL = 2
    NEG = 3


class Shade(Enum):
    LIGHT = "light"
    DARK = "dark"


class Scale(Enum):
    HALF = 0.5
    FULL = 1.0


@torch.jit.interface
class Transform(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        pass

    def cost(self, n: int) -> int:
        pass


@torch.jit.interface
class Shape:
    def area(self) -> float:
        pass

    def name(self) -> str:
        pass


@torch.jit.script
class Rect:
    def __init__(self, w: float, h: float):
        self.w = w
        self.h = h

    def area(self) -> float:
        return self.w * self.h

    def name(self) -> str:
        return "rect"


@torch.jit.script
class Circle:
    def __init__(self, r: float):
        self.r = r

    def area(self) -> float:
        return 3.0 * self.r * self.r

    def name(self) -> str:
        return "circle"


class Shift(nn.Module):
    def __init__(self, by):
        super().__init__()
        self.by = by

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.by

    @torch.jit.export
    def cost(self, n: int) -> int:
        return n


class Grow(nn.Module):
    def __init__(self, k):
        super().__init__()
        self.w = nn.Parameter(torch.full((2,), k))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.w

    @torch.jit.export
    def cost(self, n: int) -> int:
        return n * self.w.numel()


class Host(nn.Module):
    worker: Transform

    def __init__(self, a, b):
        super().__init__()
        self.worker = a
        self.spare = b
        self.op = Op.MUL

    def forward(self, x: torch.Tensor, op: Op) -> Tuple[torch.Tensor, int]:
        y = self.worker.forward(x)
        if op == self.op:
            y = y * 2
        elif op is Op.NEG:
            y = -y
        return y, self.worker.cost(10)


@torch.jit.script
def apply_op(a: int, b: int, op: Op) -> Tuple[int, str, int]:
    if op == Op.ADD:
        r = a + b
    elif op == Op.MUL:
        r = a * b
    else:
        r = -a
    return r, op.name, op.value


@torch.jit.script
def all_ops() -> List[str]:
    out: List[str] = []
    for o in Op:
        out.append(o.name + "=" + str(o.value))
    return out


@torch.jit.script
def shade_of(v: float) -> Shade:
    return Shade.DARK if v > 0.5 else Shade.LIGHT


@torch.jit.script
def count_shades(vs: List[float]) -> Dict[str, int]:
    d: Dict[str, int] = {}
    for v in vs:
        k = shade_of(v).value
        d[k] = d.get(k, 0) + 1
    return d


@torch.jit.script
def biggest(r: float, w: float, h: float) -> str:
    best: Shape = Circle(r)
    for i in range(2):
        other: Shape = Rect(w * (i + 1), h)
        if other.area() > best.area():
            best = other
    return best.name() + " " + str(best.area())


@torch.jit.script
def scaled(x: torch.Tensor, s: Scale = Scale.HALF) -> torch.Tensor:
    return x * s.value


print([apply_op(3, 4, o) for o in Op])
print(all_ops())
print(shade_of(0.75), shade_of(0.75) is Shade.DARK, count_shades([0.1, 0.9, 0.6, 0.2, 0.55]))
print(biggest(1.0, 2.0, 1.0), "|", biggest(0.5, 1.0, 0.5), "|", biggest(3.0, 1.0, 1.0))
print(scaled(torch.arange(3.0)), scaled(torch.arange(3.0), Scale.FULL))
h = torch.jit.script(Host(Shift(1.5), nn.ReLU()))
x = torch.tensor([1.0, -2.0])
print(h(x, Op.MUL), h(x, Op.NEG), h(x, Op.ADD))
h.worker = torch.jit.script(Grow(3.0))
print([(t.tolist(), c) for t, c in (h(x, Op.MUL), h(x, Op.ADD))])
print(sorted(k for k, _ in h.named_parameters()))
for tag, thunk in [("bad enum", lambda: apply_op(1, 2, Shade.DARK)), ("int for enum", lambda: apply_op(1, 2, 1)),
                   ("bad worker", lambda: setattr(h, "worker", torch.jit.script(nn.ReLU()))),
                   ("swap spare", lambda: setattr(h, "spare", torch.jit.script(nn.ReLU())))]:
    try:
        print(tag, thunk())
    except Exception as e:
        print(tag, type(e).__name__)
print(h(x, Op.NEG)[0].tolist(), h.op)


def pick(o: Op) -> int:
    if o == Op.DIVIDE:
        return 1
    return 0


def mixed(o: Op, s: Shade) -> bool:
    return o == s


for f in (pick, mixed):
    try:
        torch.jit.script(f)
        print(f.__name__, "compiled")
    except Exception as e:
        print(f.__name__, type(e).__name__)
h2 = torch.jit.script(Host(Grow(0.5), Shift(2)))
print(h2(x, Op.ADD)[0].tolist(), h2.spare(x), h2.spare.cost(4), h2.worker.cost(6))
