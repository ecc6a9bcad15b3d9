# an empty list or dict takes its type from an annotation, annotate() or stays List[Tensor]
from typing import Dict, List

import torch

def err(f, *args):
    try:
        print(f(*args))
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")

@torch.jit.script
def typed(n: int):
    a: List[str] = []
    b = torch.jit.annotate(Dict[str, int], {})
    c = torch.jit.annotate(List[List[int]], [])
    for i in range(n):
        a.append(str(i))
        b[str(i)] = i
        c.append([i] * i)
    return a, b, c


def untyped():
    out = []
    out.append(1)
    return out


def wrong():
    out: List[str] = [1]
    return out


print(typed(3))
err(torch.jit.script, untyped)
err(torch.jit.script, wrong)
