# .code of lists, dicts, tuples, strings and optional values
from typing import Dict, List, Optional

import torch


@torch.jit.script
def f(xs: List[int], d: Dict[str, float], o: Optional[str]):
    t = (xs[0], d["a"])
    ys = [x + 1 for x in xs]
    ys.append(len(xs))
    e = {"k": ys}
    if o is not None:
        name = o + "\n\t\"quoted\""
    else:
        name = 'none'
    return t, e, name, xs[1:]


print(f.code)
print(f([1, 2], {"a": 0.5}, None))
