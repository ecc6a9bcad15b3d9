"""Lists of strings and tuples that are sorted already, nearly sorted, or not: order, stability, and NaNs."""
import torch
from typing import List, Tuple


@torch.jit.script
def append_and_sort(n: int) -> List[Tuple[float, int, str]]:
    l: List[Tuple[float, int, str]] = []
    for i in range(n):
        l.append((float(i * 7 % 11) + 0.5, i % 3, str(i)))
        l.sort()
    return l


@torch.jit.script
def both_ways(l: List[Tuple[int, float]]) -> Tuple[List[Tuple[int, float]], List[Tuple[int, float]], List[Tuple[int, float]]]:
    up = l.copy()
    up.sort()
    down = l.copy()
    down.sort(reverse=True)
    return up, down, sorted(l)


@torch.jit.script
def texts(l: List[str]) -> Tuple[List[str], List[str], List[str]]:
    up = l.copy()
    up.sort()
    down = up.copy()
    down.sort(reverse=True)
    return up, down, sorted(down)


@torch.jit.script
def nested(l: List[Tuple[Tuple[int, str], bool]]) -> List[Tuple[Tuple[int, str], bool]]:
    l.sort()
    return l


@torch.jit.script
def pairs(n: int) -> List[int]:
    out: List[int] = []
    for i in range(n):
        l = [(3, 1), (1, i), (2, 5), (1, 7)]
        l.sort()
        out.append(l[0][1])
        l.sort(reverse=True)
        out.append(l[0][0] * 10 + l[3][1])
    return out


print(append_and_sort(60))
print(both_ways([(i * 5 % 7, float(i)) for i in range(40)]))
print(both_ways([(1, 0.0), (1, -0.0), (0, 1.0)]))
print(both_ways([]), both_ways([(1, 1.0)]))
words = ["b", "", "a", "ab", "a\0", "abcdefghijklmn", "abcdefghijklmno", "abcdefghijklmnop", "é", "Z", "zz"] * 3
print(texts(words))
print(texts([str(i) for i in range(150)]))
print(nested([((i % 4, str(i % 3)), i % 2 == 0) for i in range(30)]))
print(pairs(5))
