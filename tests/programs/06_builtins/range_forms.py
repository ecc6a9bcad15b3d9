# range with one, two and three arguments, backwards and empty; a zero step is an error
from typing import List

import torch

def err(f, *args):
    try:
        print(f(*args))
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")

@torch.jit.script
def collect(a: int, b: int, c: int) -> List[int]:
    return [i for i in range(a, b, c)]


@torch.jit.script
def one(n: int):
    return [i * i for i in range(n)], [i for i in range(2, n)]


def stored(n: int) -> int:
    r = range(n)
    return len(r)


print(one(4), one(0))
print(collect(10, 0, -3), collect(0, 10, 4), collect(5, 5, 1), collect(0, 3, -1))
err(collect, 0, 3, 0)
err(torch.jit.script, stored)
