# lists and dicts made by torch.jit.script are shared with scripts, others are copied
from typing import Dict, List

import torch


def attempt(action):
    try:
        print(action())
    except Exception as e:
        print(type(e).__name__, str(e).splitlines()[0])


@torch.jit.script
def push(xs: List[int]) -> int:
    xs.append(9)
    return len(xs)


@torch.jit.script
def put(d: Dict[str, int]) -> int:
    d["new"] = 1
    return len(d)


shared, plain = torch.jit.script([1, 2]), [1, 2]
print(push(shared), push(plain), shared, plain)
shared.extend([5])
shared[0] = 7
print(shared, len(shared), shared[-1], 9 in shared, shared.pop(), list(shared))
names = torch.jit.script({"a": 3})
print(put(names), names, names["a"], "new" in names, sorted(names.keys()))
attempt(lambda: shared.append("x"))
attempt(lambda: shared[10])
attempt(lambda: names["absent"])
attempt(lambda: torch.jit.script([1, "a"]))
