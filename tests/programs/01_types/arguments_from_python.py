# what Python values become as arguments of scripts, and how refusals read
from typing import Any, Dict, List, Optional, Tuple, Union

import torch

def err(f, *args):
    try:
        r = f(*args)
        print("compiled" if isinstance(r, torch.jit.ScriptFunction) else r)
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")

def i(x: int): return x
def fl(x: float): return x
def b(x: bool): return x
def li(x: List[int]): return x
def ls(x: List[str]): return x
def tu(x: Tuple[int, str]): return x
def di(x: Dict[str, int]): return x
def un(x: Union[int, str]): return x
def an(x: Any): return x
def op(x: Optional[int]): return x

for f, values in [
    (i, [True, torch.tensor(2.5), 1.5, "a"]),
    (fl, [1, True, torch.tensor(3), None]),
    (b, [0, None, 2.5, torch.tensor(0), [1], "a"]),
    (li, [(1, 2), {3}, range(2), torch.Size([4]), [1.5], 1]),
    (ls, [["a"], ("b",), [1], 3]),
    (tu, [[1, "a"], (1,), (1, 2), 5]),
    (di, [{}, [("a", 1)], {"a": "b"}, 3]),
    (un, ["a", 2.5]),
    (an, [[1, 2], (1, "a"), {"a": 1.5}, [1, "a"], []]),
    (op, [None, 1, "a"]),
]:
    s = torch.jit.script(f)
    for value in values:
        err(s, value)
