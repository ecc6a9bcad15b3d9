"""The syntax tree of a function as text, and where it stands."""
from typing import List

import torch


def function(x, y: List[int], z=3) -> int:
    q = None
    q = x + y - z.sigmoid()
    print(q)
    w = -z
    if not x and not y and z:
        m = x if not z else y
    while x < y > z:
        q = x
        break
    for i in range(3):
        a, b = i, 2.5
        q += i
        q[1:2, ..., None, ::2] = x[0]
    assert 1 == 1, "hello"
    with torch.no_grad() as f:
        pass
    l = [i for i in q]
    d = {1: 'a', 2: "b\n"}
    e: int = 3
    del q[0]
    raise Exception("x")
    s = f"a{x}b"
    t = (1,)
    x.y.z = ~a ^ b | c & d ** e // f % g @ h << 2 >> 3
    u = x is not None
    v = x not in y
    return True


tree = torch.jit.frontend.get_jit_def(function, "other")
print(tree, type(tree).__name__, tree.name())
print(tree.range())


def short(x):
    return x


print(torch.jit.frontend.get_jit_def(short, "short").range())
try:
    torch.jit.frontend.get_jit_def(lambda *a: 1, "f")
except RuntimeError as error:
    print(str(error).split(":")[0])
