# values that branches leave open: one for each type object that the source makes
import torch
from typing import Dict, List, Tuple

def f(n: int) -> List[int]:
    if n > 0:
        if n > 5:
            return [1]
        n = 2
    else:
        for i in range(n):
            if i == 3:
                return [i, i]
    return [n]

def g(n: int, t: Tuple[int, str]) -> Tuple[int, str]:
    for i in range(n):
        if i == 2:
            return i, "a"
        if i > n:
            return t
    return t

def h(n: int):
    s = 0
    for i in range(n):
        if i == 3:
            s = 1
            break
        else:
            if i == 2:
                continue
            s += 1
        s *= 2
    return s

for fn in (f, g, h):
    s = torch.jit.script(fn)

    print(s.code)
print(torch.jit.script(f)(3), torch.jit.script(g)(4, (1, "t")), torch.jit.script(h)(6))
