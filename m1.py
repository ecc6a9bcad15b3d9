from typing import Optional

def one(n: int) -> int:
    x = n
    x = "text"
    return x

def branches(c: bool):
    if c:
        y = 1
    else:
        y = 2.5
    return y

def wider(c: bool) -> Optional[int]:
    y: Optional[int] = None
    if c:
        y = 3
    return y
