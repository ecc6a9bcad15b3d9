# enums: comparisons, as keys, defaults, lists, errors
import torch
from enum import Enum, IntEnum
from typing import List, Dict

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

class Op(Enum):
    ADD = "+"
    SUB = "-"
class N(Enum):
    ONE = 1
    TWO = 2
class Fl(Enum):
    H = 0.5
class Bad(Enum):
    A = 1
    B = "x"
class IE(IntEnum):
    A = 1

def f(o: Op, a: int, b: int = 2) -> int:
    if o == Op.ADD:
        return a + b
    elif o is Op.SUB:
        return a - b
    return 0
s = torch.jit.script(f)
print(s(Op.ADD, 5), s(Op.SUB, 5, 1), s.schema)
print(s.graph)
err(s, N.ONE, 1)
err(s, "+", 1)
def g(n: N):
    return n.value + 1, n.name, n != N.TWO, [n, N.ONE], N.TWO
s = torch.jit.script(g)
print(s(N.ONE))
def h():
    return [e.value for e in N], len(N)
err(torch.jit.script, h)
def h2():
    out: List[str] = []
    for e in Op:
        out.append(e.name + e.value)
    return out
print(torch.jit.script(h2)())
def i(b: Bad):
    return b.value
err(torch.jit.script, i)
def j(o: Op):
    return o == N.ONE
err(torch.jit.script, j)
def k(o: Op):
    return Op.MUL
err(torch.jit.script, k)
def l():
    return Op("+")
err(torch.jit.script, l)
def m(e: IE):
    return e.value
err(lambda: torch.jit.script(m)(IE.A))
def n(e: Fl):
    return e.value * 2, e
print(torch.jit.script(n)(Fl.H))
print(torch.jit.script(n).code)
