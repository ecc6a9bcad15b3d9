# the types of variables that branches and loops give different types
import torch
from typing import *
def f1(c: bool):
    s: Any = 3
    if c:
        s = "a"
    return s
def f2(c: bool):
    x: Union[int, str, None] = 3
    if c:
        x = "a"
    y = x
    x = None
    return y
def f3(c: bool):
    s: Union[int, str] = 1 if c else "a"
    return s
def f4(c: bool):
    s: Optional[int] = 1 if c else None
    return s
def f5(c: bool):
    s: List[Optional[int]] = [1] if c else [None]
    return s
def f6(c: bool):
    s: List[int] = [] if c else [2]
    return s
def f8(c: bool) -> Union[int, str]:
    return 1 if c else "a"
def f9(c: bool):
    s: float = 1 if c else 2.0
    return s
def f10(c: bool):
    s: Union[int, float] = 1 if c else 2.0
    return s
def f11(c: bool, d: bool):
    s: Optional[Union[int, str]] = 1
    if c:
        s = "a"
    elif d:
        s = None
    return s
def f12(c: bool, d: bool):
    s: Union[int, str, float] = 1
    if c:
        if d:
            s = "a"
        else:
            s = 2.0
    return s
def f15(c: bool):
    s: Optional[List[int]] = None
    if c:
        s = [1]
    return s
def f16(c: bool, t: Union[int, str]):
    if isinstance(t, int):
        u = t
    else:
        u = t
    return u
def f17(c: bool, t: Union[int, str]):
    if isinstance(t, int):
        t = str(t)
    return t
def f18(c: bool, t: Union[int, str]):
    if c:
        t = 3
    return t
def f19(c: bool, t: Optional[int]):
    if c:
        t = 3
    return t
def f20(c: bool, t: Any):
    if c:
        t = 3
    return t
def f21(c: bool, t: Any):
    if isinstance(t, int):
        t = t + 1
    return t
def f25(c: bool):
    return (1 if c else "a")
def f26(c: bool):
    print(1 if c else "a")
    return 0
def f27(c: bool):
    x = [1, "a"] if c else [2, "b"]
    return x
for name, f in list(globals().items()):
    if name[0] == "f" and name[1:].isdigit():
        try:
            s = torch.jit.script(f)
            print(name, s.graph, s.schema)
        except Exception as e:
            print("<<%s>>" % type(e).__name__)
            print(e)
            print("<<end>>")
