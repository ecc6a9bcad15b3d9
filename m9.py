from typing import NamedTuple, Tuple

class Point(NamedTuple):
    x: int
    y: float

def swap(pair: Tuple[int, str]) -> Tuple[str, int]:
    a, b = pair
    return b, a

def main():
    p = Point(1, 2.5)
    print(swap((1, "a")), p.y, p[0])
    for item in (1, "b", 2.5):
        print(item)
