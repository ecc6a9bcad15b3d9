# zip and enumerate over tuples together with sequences whose length is only known later
from typing import List

import torch

def attempt(action):
    try:
        print(action())
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")


@torch.jit.script
def known(x: int):
    out: List[int] = []
    for i, v in zip((5, 6), (x, x * 2, x * 3)):
        out.append(i * v)
    for i, v in enumerate((x, x + 1)):
        out.append(i + v)
    return out


print(known(3))


def unknown(xs: List[int], pair: bool):
    for a, b in zip(xs, (1, 2)):
        print(a, b)
    return 1


attempt(lambda: torch.jit.script(unknown))
