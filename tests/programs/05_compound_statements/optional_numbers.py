# Optional ints, floats and bools in loops of every kind: joined with None, refined, assigned again, across calls, in
# tuples, lists, dicts and attributes, returned, and taken along by forks.
from typing import Dict, List, Optional, Tuple

import torch


def flip(n: int) -> int:
    o: Optional[int] = None
    s = 0
    for i in range(n):
        if o is None:
            o = i
        else:
            s += o
            o = None
    return s


def largest(xs: List[float]) -> Optional[float]:
    best: Optional[float] = None
    for x in xs:
        if best is None or x > best:
            best = x
    return best


def three_ways(n: int) -> Tuple[int, int, int]:
    seen: Optional[bool] = None
    yes, no, unknown = 0, 0, 0
    for i in range(n):
        was: Optional[bool] = seen
        if was is None:
            unknown += 1
            seen = i % 5 < 2
        elif was:
            yes += 1
            if i % 3 == 0:
                seen = None
            else:
                seen = False
        else:
            no += 1
            if i % 2 == 0:
                seen = None
            else:
                seen = True
    return yes, no, unknown


def half(n: int) -> Optional[int]:
    if n % 2 == 1:
        return None
    return n // 2


def calls(n: int) -> Tuple[int, Optional[int]]:
    total = 0
    kept: Optional[int] = None
    for i in range(n):
        h = half(i)
        if h is not None:
            total += h
            kept = h
        else:
            kept = half(i + 3)
    return total, kept


def in_lists(n: int) -> Tuple[List[Optional[int]], int]:
    holes: List[Optional[int]] = []
    for i in range(n):
        o: Optional[int] = None
        if i % 3 != 1:
            o = i * i
        holes.append(o)
    count = 0
    for i in range(len(holes)):
        h = holes[i]
        if h is None:
            count += 1000
            holes[i] = -1
        else:
            count += h
    return holes[:6], count


def in_tuples(n: int) -> Tuple[Optional[float], Optional[bool]]:
    pair: Tuple[Optional[float], Optional[bool]] = (None, None)
    for i in range(n):
        a, b = pair
        if a is None:
            pair = (float(i) / 2, b)
        elif b is None:
            pair = (a, a > 2.5)
        else:
            pair = (None, None)
    return pair


def in_dicts(n: int) -> Tuple[int, int]:
    last: Dict[int, Optional[int]] = {}
    known: Dict[int, int] = {3: 7}
    hits, sum = 0, 0
    for i in range(n):
        k = i % 7
        got = known.get(k)
        if got is not None:
            hits += got
        if k in last:
            before = last[k]
            if before is not None:
                sum += i - before
                last[k] = None
            else:
                last[k] = i
        else:
            last[k] = i
    return hits, sum


@torch.jit.script
class Meter(object):
    def __init__(self, low: Optional[int], mean: Optional[float]) -> None:
        self.low = low
        self.mean = mean
        self.resets = 0

    def see(self, x: int) -> None:
        low = self.low
        if low is None or x < low:
            self.low = x
        mean = self.mean
        if mean is None:
            self.mean = float(x)
        else:
            self.mean = mean * 0.5 + x * 0.5
        if x % 10 == 9:
            self.low = None
            self.resets += 1


def attributes(n: int) -> Tuple[Optional[int], Optional[float], int]:
    m = Meter(None, None)
    for i in range(n):
        m.see((i * 37) % 101)
    return m.low, m.mean, m.resets


def nested(n: int) -> int:
    outer: Optional[int] = None
    s = 0
    for i in range(n):
        inner: Optional[int] = outer
        for j in range(3):
            was: Optional[int] = inner
            if was is None:
                inner = i + j
            elif was % 4 == 0:
                inner = None
            else:
                inner = was + 1
        outer = inner
        if outer is not None:
            s += outer
    return s


def swapped(n: int) -> Tuple[Optional[int], Optional[int], Optional[int]]:
    a: Optional[int] = 1
    b: Optional[int] = None
    c: Optional[int] = 3
    for i in range(n):
        a, b, c = b, c, a
        if a is None:
            c = i
    return a, b, c


def defaults(n: int, step: Optional[int] = None, scale: Optional[float] = None) -> float:
    s = 0.0
    for i in range(n):
        k = step if step is not None else 1
        s += float(i * k)
        if scale is not None:
            s *= scale
        if i == 5:
            if k > 1:
                step = None
            else:
                step = 2
    return s


def forks(n: int) -> int:
    bound: Optional[int] = None
    s = 0
    for i in range(n):
        task = torch.jit.fork(half, i)
        bound = torch.jit.wait(task)
        if bound is not None:
            other = torch.jit.fork(defaults, 3, bound)
            s += int(torch.jit.wait(other))
    return s


def required(n: int) -> int:
    o: Optional[int] = None
    s = 0
    for i in range(n):
        if i < 40:
            o = i
        else:
            o = None
        assert o is not None, "nothing at " + str(i)
        s += o
    return s


def show(name, value):
    print(name, value)


for n in [0, 1, 2, 7, 2000]:
    show("flip", torch.jit.script(flip)(n))
    show("three_ways", torch.jit.script(three_ways)(n))
    show("calls", torch.jit.script(calls)(n))
    show("in_lists", torch.jit.script(in_lists)(n))
    show("in_tuples", torch.jit.script(in_tuples)(n))
    show("in_dicts", torch.jit.script(in_dicts)(n))
    show("attributes", torch.jit.script(attributes)(n))
    show("nested", torch.jit.script(nested)(n))
    show("swapped", torch.jit.script(swapped)(n))
    show("defaults", torch.jit.script(defaults)(n % 50))
    show("defaults", torch.jit.script(defaults)(n % 50, 3, 0.5))
    show("forks", torch.jit.script(forks)(min(n, 200)))

largest = torch.jit.script(largest)
show("largest", largest([]))
show("largest", largest([float((i * 7919) % 1013) for i in range(3000)]))
show("required", torch.jit.script(required)(40))
torch.jit.script(required)(2000)
