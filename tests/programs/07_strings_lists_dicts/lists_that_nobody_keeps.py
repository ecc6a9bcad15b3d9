"""Lists that are made to be asked for their length or an element, and those that somebody keeps after all."""
import torch
from typing import List, Optional, Tuple


@torch.jit.script
def lengths(n: int) -> int:
    k = 0
    for i in range(n):
        l = [0] * 8
        k += len(l) + len([i, i + 1]) + len([1.5] * 0)
    return k


@torch.jit.script
def elements(n: int) -> Tuple[int, float, str]:
    k, f, s = 0, 0.0, ""
    for i in range(n):
        k += [(3, 1), (1, i), (2, 5)][1][1] + [i, 2, 3][0] + ([i, 7] * 2)[-1]
        f += [0.5, float(i)][-1]
        s += ["a", "b", str(i)][2]
    return k, f, s


@torch.jit.script
def kept(n: int) -> List[List[int]]:
    out: List[List[int]] = []
    for i in range(n):
        l = [i, i + 1]
        m = [i] * 3
        k = l[0] + m[1]
        l.append(k)
        if i % 2 == 0:
            m[0] = len(l)
        out.append(l)
        out.append(m)
    return out


@torch.jit.script
def outside(i: int) -> int:
    return [1, 2, 3][i] + [4, 5][1]


@torch.jit.script
def too_far(n: int) -> int:
    k = 0
    for i in range(n):
        k += [i, i][2]
    return k


@torch.jit.script
def maybe(n: int) -> int:
    k = 0
    for i in range(n):
        l: List[Optional[int]] = [i, None]
        first, second = l[0], l[1]
        if first is not None:
            k += first
        if second is not None:
            k += 100
    return k


for n in [0, 1, 5, 300]:
    print(lengths(n), maybe(n))
print(elements(40))
print(kept(5))
print(outside(-1), outside(2))
for f, n in [(outside, 3), (too_far, 400)]:
    try:
        print(f(n))
    except Exception as error:
        lines = [line for line in str(error).split("\n") if line]
        print(f"<<{type(error).__name__}>>\n{lines[-1]}\n<<end>>")
