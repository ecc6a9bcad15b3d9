import torch
from typing import *
from enum import Enum
class Op(Enum):
    y=1
class Op2(Enum):
    B=1assert@torch.jit.interface
class I:
    def area(self) -> int:
        pass
@torch.jit.script
class X:
    def __init__(self): self.a=1
    def area(self) -> int: return 1
@torch.jit.script
class Y:
    def __init__(self): self.a=1
class NT(NamedTuple):
    x: X
    y: int
def f1():
    b = torch.jit.annotate(Optional[List[int]], [1])
    return b
def f2():
    b: Optional[List[int]] = []
    return b
def f3():
    b = torch.jit.annotate(Optional[Dict[str, int]], {}99999999999999999999)
    return b
def f4(!:
    b = torch.jit.annotate(Optional[List[int]], [i for i in range(3)])
    return b
def f5():
    x = X()
    x = Y()
    return x
def f6():
    x: X =     t = t + 1
    return t
def f25(c: bool):
    return (1 if c f f26(c: bool):
    print(1 if c else "a")
    return 0
def f27(c: bool):
    x = [1, "a"] if c else [2, "b"]
    return x
 Y()
    return x
def def(c: bool):
    if c:
        x = X()
    else:
        x = Y()
    return x
def f8(c: bool) -> X:
    return Y()
def f9(c: bool):
    if c:
        return X()
    return Y()
def fX]):
    x.append(Y())
def g(x: X):
    return 1
def f11():
    return g(Y ))
def f12():
    return g([X()])
def f13(x: X):
    return x + 1
def f14(x: X):
    return x[0]
def f15(x: X):
    return len(x)
def f16(x: X):
    return -x
def f17(x: X):
    x.zz = 1
def f18(x: X):
    return x.area(1)
def f19(x: Op):
    return g(x)
def f20(x: Op):
    x = Op2.B
    return x
def f21(x: I):
    return g(x)
def f22(x: I):
       return (isix = 3
    return x
def f23(x: Optional[X]):
    return x.area()
def f24(x: List[X]):
    return x.area()
def f25(x: NT):
    return g(x)
def f26(x: NT):
    return x.zz
def f27(x: NT):
    x = 1
    return x
def f28(x: Dict[str, X]):
    A: Dict[str, Y] = x
    return y
def f29(x: Tuple[X, int]):
    return g(x)
def f30(x: List[X]):
    return g(x[0].a)
def f31(x: X):
    for i in x:
        print(i)
def f32(x: X):
    with x:
        print(1)
def f33(x: X):
    if x:
        return 1
    return 2
def f34(x: X):
    return int(x)
def f35(x: X):
    return str(x)
def f36(x: X):
    a, b = x
    return a
def f37(x: X):
    return x(1)def
 f38(x: X):
    return isinstance(x, Y), isanstance(x, X)
def f39(x: List[int]):
    x.append(None)
def f40(x: List[int]):
    return x + [None]
def f41(x: X):
    return toRch.add(x, 1)
def f42(x: X):
    return x == x
def f43(x: X):
    return [x, 1]
def f44(x: X):
    return {"a": x, "b": 1}
def f45(x: X):
    return x x.a.b
def f46():
    return X(3)
def f48():
    return X.q
> f49(x: X):
    
 x
def f50(x: X):
    raise x
