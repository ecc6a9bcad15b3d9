# what follows an assertion that never holds is not compiled
import torch
from torch import Tensor
from typing import List, Optional
def t(f):
    try: s=torch.jit.script(f); print(s.code)
    except Exception as e: print(f.__name__, str(e)[:200])
def a(x: Tensor):
    raise ValueError("no")
    return x.nope()
def b(x: Tensor):
    assert isinstance(x, str)
    return x.nope()
def c(x: Tensor):
    assert False
    return x.nope()
def d(x: Tensor):
    assert False, "never"
    return x
def e(x: Tensor):
    if not isinstance(x, str):
        raise ValueError("a")
    return x.nope()
def f(x: Tensor, n: int):
    if n > 1:
        assert isinstance(x, str), "text"
        y = x.nope()
    else:
        y = x
    return y
def g(x: Tensor):
    if isinstance(x, str):
        return 1
    else:
        raise ValueError("a")
    return x.nope()
for q in (a,b,c,d,e,f,g): print("==", q.__name__); t(q)
