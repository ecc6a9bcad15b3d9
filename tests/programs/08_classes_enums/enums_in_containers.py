# enums in classes, dicts, tuples, returns, iteration and names
import torch
from enum import Enum, auto
from typing import Dict, List, Optional, Tuple

def err(f, *args):
    try:
        r = f(*args)
        if isinstance(r, (torch.jit.ScriptFunction, torch.jit.ScriptModule, type)):
            r = "compiled"
        print(r)
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")

class Mode(Enum):
    FAST = "fast"
    SLOW = "slow"
class Lvl(Enum):
    A = auto()
    B = auto()

@torch.jit.script
class Cfg:
    def __init__(self, m: Mode):
        self.m = m
    def fast(self) -> bool:
        return self.m == Mode.FAST

def f(m: Mode, l: Optional[Lvl] = None) -> Tuple[Mode, Optional[Lvl]]:
    c = Cfg(m)
    if c.fast():
        return Mode.SLOW, Lvl.B
    return m, l
s = torch.jit.script(f)
print(s(Mode.FAST), s(Mode.SLOW), s(Mode.SLOW, Lvl.A))
print(s.schema)
print(s.code)
def g(xs: List[Mode]):
    out: Dict[str, int] = {}
    for x in xs:
        if x.name not in out:
            out[x.name] = 0
        out[x.name] += len(x.value)
    return out, xs[0], [m.name for m in xs]
err(lambda: torch.jit.script(g)([Mode.FAST, Mode.SLOW, Mode.FAST]))
def h():
    return [l.value for l in Lvl], [m for m in Mode]
err(lambda: torch.jit.script(h)())
def i(m: Mode):
    return {m: 1}
err(lambda: torch.jit.script(i))
def j(m: Mode):
    return m < Mode.SLOW
err(lambda: torch.jit.script(j))
def k(m: Mode):
    m.value = "x"
err(lambda: torch.jit.script(k))
def l(m: Mode):
    return str(m), m
err(lambda: torch.jit.script(l)(Mode.FAST))
def n(m: Mode):
    return Mode.FAST.value + m.value, Mode.SLOW.name, Mode["FAST"]
err(lambda: torch.jit.script(n))
def o(m: Mode):
    print(m, [m], (m, 1))
    return m != Mode.FAST, m in [Mode.SLOW]
err(lambda: torch.jit.script(o)(Mode.SLOW))
def p():
    return len(Mode)
err(lambda: torch.jit.script(p))
class T(Enum):
    X = torch.ones(1)
def q(t: T):
    return t.value
err(lambda: torch.jit.script(q))
class Empty(Enum):
    pass
def r(t: Empty):
    return t
err(lambda: torch.jit.script(r))
def u(c: bool):
    m = Mode.FAST if c else Mode.SLOW
    return m.value
err(lambda: torch.jit.script(u)(False))
