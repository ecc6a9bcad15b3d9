# torch.jit.annotate gives no wider type than its value has
import torch
from typing import *
class A:
    pass
def f1(x: int):
    b = torch.jit.annotate(Optional[int], x)
    if x > 3:
        b = None
    return b
def f2(x: int):
    b = torch.jit.annotate(Optional[int], None)
    for i in range(x):
        b = i
    return b
def f3(x: int):
    b = torch.jit.annotate(Optional[int], None)
    return b
def f4(x: int):
    b = torch.jit.annotate(Optional[int], x)
    return b
def f5(x: int):
    b = torch.jit.annotate(Any, x)
    return b
def f6(x: int):
    b = torch.jit.annotate(Union[int, str], x)
    return [b, b]
def f7(x: int):
    b = torch.jit.annotate(Optional[int], None)
    print(b)
    return b is None, b is not None, b == 3
def f8(x: Optional[int]):
    b = torch.jit.annotate(Optional[int], x)
    return b is None
def f9(x: int):
    b = torch.jit.annotate(Optional[float], x)
    return b
def f10(x: int):
    b = [torch.jit.annotate(Optional[int], None), 1]
    return b
def f11(x: int):
    b = [torch.jit.annotate(Optional[int], x)]
    b.append(None)
    return b
def f12(x: List[int]):
    b = torch.jit.annotate(Optional[List[int]], [])
    b.append(1)
    return b
def f13(x: int):
    if x > 1:
        b = torch.jit.annotate(Optional[int], None)
    else:
        b = 3
    return b
def f14(x: int):
    if x > 1:
        b = torch.jit.annotate(Optional[int], None)
        if b is None:
            return 4
    return 5
def f15(x: Optional[int] = None):
    y: Optional[int] = x
    if y is None:
        y = 3
    return y
def f16():
    y: Optional[int] = 3
    if y is None:
        return 0
    return y
def f17(c: bool):
    y: Optional[int] = 3
    if c:
        y = None
    if y is None:
        return 0
    return y
def f18(c: int):
    b = torch.jit.annotate(int, c)
    return b
def f19(c: int):
    b = torch.jit.annotate(float, c)
    return b
def f20(x):
    b = torch.jit.annotate(float, x)
    c = torch.jit.annotate(int, x)
    return b, c
import sys
for name, f in list(globals().items()):
    if name[0] == "f" and name[1:].isdigit():
        try:
            s = torch.jit.script(f)
            print(name, s.graph, s.schema)
        except Exception as e:
            print("<<%s>>" % type(e).__name__)
            print(e)
            print("<<end>>")
