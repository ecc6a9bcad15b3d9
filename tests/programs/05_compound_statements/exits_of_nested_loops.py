# break, continue and return in loops within loops
from typing import List, Tuple

import torch


@torch.jit.script
def find(grid: List[List[int]], wanted: int) -> Tuple[int, int]:
    for i, row in enumerate(grid):
        for j, value in enumerate(row):
            if value == wanted:
                return i, j
    return -1, -1


@torch.jit.script
def skip(n: int) -> List[int]:
    out: List[int] = []
    for i in range(n):
        if i % 2 == 0:
            continue
        j = 0
        while True:
            j += 1
            if j > i:
                break
            if j == 2:
                continue
            out.append(10 * i + j)
        if i >= 5:
            break
    return out


print(find([[1, 2], [3, 4], [5, 6]], 4), find([[1]], 9))
print(skip(10))
