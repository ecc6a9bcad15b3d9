# every line with '# type:' counts as a part of the signature
from typing import List

import torch

def err(f, *args):
    try:
        r = f(*args)
        print("compiled" if isinstance(r, torch.jit.ScriptFunction) else r)
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")

def signature(x, y):
    # type: (int, List[int]) -> int
    return x + len(y)

def each(x,  # type: int
         y,  # type: str
         ):
    # type: (...) -> str
    return str(x) + y

def ignored(x: int):
    y = x  # type: ignore
    return y

def local(x: int):
    y = []  # type: List[int]
    return y

def count(x, y):
    # type: (int) -> int
    return x

def no_result(x,  # type: int
              y):  # type: int
    return x

print(torch.jit.script(signature)(1, [2]))
print(torch.jit.script(each)(1, "a"))
print(torch.jit.script(ignored)(3))
for f in (local, count, no_result):
    err(torch.jit.script, f)
