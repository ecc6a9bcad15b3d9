"""Variables of comprehensions hide outer ones, and what comprehensions learn of outer ones is forgotten behind them."""

import re

import torch


def show(source):
    try:
        graph = str(torch.jit.CompilationUnit(source).f.graph)
    except RuntimeError as error:
        print("RuntimeError", str(error).strip().split("\n")[0])
    else:
        print(re.sub(r" # .*", "", graph).replace("%", "v"))


show("def f(i: int):\n    y = [i + 1 for i in (1, 2)]\n    return y, i\n")
show("def f(_1: int, n: int):\n    y = [_1 + 1 for _1 in range(n)]\n    return y, _1\n")
show("def f(x: int):\n    y = [x for x in ['a', 'b']]\n    return y, x\n")
show("def f(x: Optional[int], n: int):\n    y = [(x if x is not None else i) + i for i in range(n)]\n    return y, x\n")
show("def f(x: List[str]):\n    a = {k: len(k) for k in x}\n    return a, list(enumerate(x)), [a[k] for k in a]\n")
show("def f(_1: int, n: int):\n    _2 = 0\n    for i in range(n):\n        _2 = _2 + _1\n        _1 = _2 * 2\n    return _2\n")
show("def f(x: int, n: int):\n    a = b = x + n\n    c, d = e = (a, b)\n    return a, b, c, d, e\n")
show("def f(x: Optional[int], n: int):\n    while x is not None and n < x:\n        n += 1\n        if n > 7:\n            x = None\n    return n\n")
show("def f(n: int):\n    t = 0\n    for i in range(n):\n        if i > 3:\n            continue\n        else:\n            break\n        t = i\n    return t\n")
