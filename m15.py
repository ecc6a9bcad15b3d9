from typing import List

def unset(c: bool):
    if c:
        x = 1
    return x

def filtered(numbers: List[int]):
    return [n for n in numbers if n > 0]
