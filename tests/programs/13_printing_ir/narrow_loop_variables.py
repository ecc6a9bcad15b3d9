"""Types of loop variables whose annotation is wider than what is assigned."""

import torch
from typing import *
def t(f):
    try: print(torch.jit.script(f).code)
    except Exception as e: print(f.__name__, str(e)[:300])
@t
def a1(xs: List[int], n: int):
    cur: Optional[List[int]] = xs
    for i in range(n):
        if cur is not None:
            cur = cur + [i]
    return cur
@t
def a2(xs: List[int], n: int):
    cur: Optional[List[int]] = xs
    for i in range(n):
        if cur is not None:
            cur.append(i)
    return cur
@t
def a3(xs: List[int], n: int):
    cur: Optional[List[int]] = xs
    for i in range(n):
        cur = [i]
    return cur
@t
def a4(xs: List[int], n: int):
    cur: Optional[List[int]] = xs
    for i in range(n):
        if n > 2:
            cur = [i]
    return cur
@t
def a5(xs: Optional[List[int]], n: int):
    cur: Optional[List[int]] = xs
    for i in range(n):
        if cur is None:
            cur = [i]
    return cur
@t
def a6(xs: List[int], n: int):
    cur: Optional[List[int]] = xs
    for i in range(n):
        assert cur is not None
        cur = cur + [1]
    return cur
@t
def a7(xs: List[int], n: int):
    cur: Optional[List[int]] = xs
    if cur is not None:
        cur = cur + [1]
    return cur
@t
def a8(xs: List[int], n: int):
    cur: Optional[List[int]] = xs
    for i in range(n):
        if cur is not None:
            if n > 3:
                cur = cur + [i]
    return cur
@t
def a9(xs: List[int], n: int):
    cur: Optional[List[int]] = xs
    for i in range(n):
        if cur is not None and n > 3:
            cur = cur + [i]
    return cur
@t
def a10(xs: List[int], n: int):
    cur: Optional[List[int]] = xs
    for i in range(n):
        for j in range(n):
            if cur is not None:
                cur = cur + [i]
    return cur
@t
def a11(xs: List[int], n: int):
    cur: Optional[List[int]] = xs
    for i in range(n):
        if cur is not None:
            cur = cur + [i]
        else:
            cur = [1]
    return cur
@t
def a12(xs: List[int], n: int):
    cur: Union[List[int], int] = xs
    for i in range(n):
        if isinstance(cur, int):
            cur = cur + 1
        else:
            cur.append(1)
    return cur
@t
def a13(xs: List[int], n: int):
    cur: Union[List[int], int] = xs
    for i in range(n):
        if not isinstance(cur, int):
            cur = cur + [1]
    return cur
