from typing import List

def scale(x, factor: float = 2.0):
    y = x * factor
    return y

def total(numbers: List[int]) -> int:
    n = 0
    for number in numbers:
        n += number
    return n

def wrong(text: str):
    return total(text)
