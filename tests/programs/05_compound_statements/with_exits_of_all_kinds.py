# exits from with statements
import torch
from typing import *
class Ctx:
    def __init__(self, n: int): self.n=n
    def __enter__(self) -> int: return self.n
    def __exit__(self, a: Any, b: Any, c: Any) -> None: print("bye", self.n)
Ctx=torch.jit.script(Ctx)
def f1(n: int) -> int:
    for i in range(n):
        with Ctx(i) as k:
            if k == 2:
                return k * 10
            print("k", k)
    return -1
def f3(n: int) -> int:
    t = 0
    with Ctx(7) as k:
        t = k
        u = 5
    return t + u
def f5(n: int) -> int:
    with Ctx(1) as k:
        if n > 1:
            x = 3
        else:
            return 9
    return x + k
def f6(n: int) -> int:
    while n > 0:
        with Ctx(n):
            n -= 1
            if n == 2:
                return n
        n -= 1
    return n
for f in (f1, f3, f5, f6):
    s = torch.jit.script(f)
    for n in (0, 1, 3, 4):
        try:
            print(f.__name__, n, s(n))
        except Exception as e:
            print("<<%s>>" % type(e).__name__)
            print(e)
            print("<<end>>")
    print(s.code)
