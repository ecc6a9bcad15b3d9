# names that not every branch has set stand for what they mean outside
import torch
import torch.nn as nn
import torch.nn.functional as F
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union

class Bad:
    graph = code = schema = inlined_graph = "-"
    def __call__(self, *args):
        raise ValueError("not compiled")

def js(f):
    try:
        return torch.jit.script(f)
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")
        return Bad()

def err(f, *args, **kw):
    try:
        r = f(*args, **kw)
        print("ok", "compiled" if isinstance(r, (torch.jit.ScriptFunction, torch.jit.ScriptModule)) else r)
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")

def sec(f):
    print("--", f.__name__)
    try:
        f()
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")

def helper(x: int) -> int:
    return x * 10
K = 3
@js
def a(x: int):
    if x > 0:
        helper = 3
    return helper(x)
@js
def b(x: int):
    if x > 0:
        K = 3
    return x + K
@js
def c(x: int):
    if x > 0:
        max = 3
    return max(x, 2)
@js
def d(x: int):
    if x > 0:
        helper = 3
    else:
        helper = "a"
    return helper(x)
@js
def e(x: int):
    for i in range(x):
        helper = i
    return helper(x)
@js
def f(x: int):
    if x > 0:
        unk = 3
    return unk(x)
@js
def g(x: int):
    while x > 0:
        helper = 3
        x -= 1
    return helper(x)
@js
def h(x: int):
    helper = 3
    if x > 0:
        helper = "x"
    return helper(x)
@js
def i(x: int):
    if x > 0:
        torch = 3
    return torch.ones(x)
@js
def j(x: int):
    if x > 0:
        K = 3
        return K
    return helper(x)
@js
def k(x: int):
    for helper in range(3):
        x += helper
    return helper(x)
@js
def l(x: int):
    if x > 0:
        self = 3
    else:
        y = 2
    self += 1
    return y
for q in (a, b, c, d, e, f, g, h, i, j, k, l):
    err(q, 1)
    err(q, 0)
