"""Lists, dicts, tuples, objects and enums that several names share, in long loops; floats and shifts beside them."""
import math
from enum import Enum
from typing import Dict, List, NamedTuple, Optional, Tuple

import torch


class Kind(Enum):
    EVEN = 0
    ODD = 1


class Item(NamedTuple):
    kind: Kind
    name: str
    values: List[int]
    weight: float
    place: Tuple[int, int]


class Node(object):
    def __init__(self, name: str, parent: Optional[int]):
        self.name = name
        self.parent = parent
        self.links: List[int] = []
        self.seen: Dict[str, int] = {}
        self.label = name
        self.item = Item(Kind.EVEN, name, [1, 2], 0.5, (0, 0))


class Store(object):
    def __init__(self):
        self.nodes: List[Node] = []
        self.by_name: Dict[str, List[int]] = {}
        self.names = ["zero"]
        self.last = torch.jit.annotate(Optional[str], None)

    def add(self, name: str, parent: Optional[int]) -> int:
        number = len(self.nodes)
        self.nodes.append(Node(name, parent))
        if name not in self.by_name:
            fresh: List[int] = []
            self.by_name[name] = fresh
        self.by_name[name].append(number)
        self.names = self.names + [name]
        self.last = name
        return number


def items(n: int) -> Tuple[int, str, int]:
    counts: Dict[str, int] = {}
    lists: Dict[int, List[int]] = {}
    for i in range(n):
        key = "k" + str(i % 13)
        counts[key] = counts.get(key, 0) + i
        if i % 7 not in lists:
            lists[i % 7] = [i]
        lists[i % 7].append(i)
    total = 0
    text = ""
    for k, v in counts.items():
        total += v * len(k)
        counts[k] = v + 1
        text = text + k[1:]
    held = 0
    for j, l in lists.items():
        l.append(j)
        held += len(l)
        lists[j] = [j]
    for pair in lists.items():
        held += pair[0] + len(pair[1])
    pairs = [k + "=" + str(v) for k, v in counts.items()]
    kept = list(counts.items())
    counts.clear()
    return total + len(kept) + held, text + pairs[0], len(pairs)


def graph(n: int) -> Tuple[int, List[int], str, List[str]]:
    store = Store()
    for i in range(n):
        parent: Optional[int] = None
        if i > 0:
            parent = (i * 7) % i
        k = store.add("n" + str(i % 11), parent)
        if parent is not None:
            store.nodes[parent].links.append(k)
    depth = 0
    for node in store.nodes:
        p = node.parent
        steps = 0
        while p is not None:
            assert p is not None
            q = store.nodes[p]
            q.seen[node.name] = q.seen.get(node.name, 0) + 1
            q.label = node.label
            p = q.parent
            steps += 1
        depth = max(depth, steps)
    shared = store.nodes[0].links
    other = shared
    other.append(-1)
    sizes = [len(l) for l in store.by_name.values()]
    last = store.last
    return depth + shared[-1], sizes, store.nodes[0].label + ("" if last is None else last), store.names[:3]


def tuples(n: int) -> Tuple[int, float, int]:
    made: List[Item] = []
    for i in range(n):
        kind = Kind.EVEN if i % 2 == 0 else Kind.ODD
        made.append(Item(kind, "item number " + str(i), [i, i + 1], i * 0.25, (i, -i)))
    evens = 0
    weight = 0.0
    area = 0
    for item in made:
        if item.kind == Kind.EVEN:
            evens += item.values[0]
        if item.kind != Kind.EVEN and item.name in "item number 7 and item number 9":
            evens += 1000
        weight += item.weight
        a, b = item.place
        area += a * b + len(item.name)
    kept = made[0]
    made = made[1:]
    return evens + kept.values[1], weight, area + len(made)


def numbers(n: int) -> Tuple[List[float], int, int, complex]:
    low, high, mixed = math.inf, -math.inf, 0.0
    bits, back = 1, 0
    z = complex(0.5, -0.25)
    for i in range(n):
        x = i * 0.37 - 11.5
        low = min(low, x * (i % 5))
        high = max(high, x - i % 3)
        mixed += math.floor(x) + math.ceil(x) + round(x) - x // 1.5 + x % 2.5 + math.fmod(x, 1.25)
        mixed += math.atan2(x, i + 1.0) + math.log1p(i) + math.expm1(x * 1e-3) + math.fabs(x)
        mixed += math.asin(math.sin(x)) + math.acos(math.cos(x)) + math.atan(x) + math.sinh(x * 1e-2) - math.cosh(x * 1e-2)
        bits = (bits << (i % 7)) ^ (bits >> 3)
        bits = bits & 0xFFFFFFFFFF
        back = back + (bits >> (i % 41))
        z = z * complex(0.99, 0.01) + z * 0.01 - complex(i, 1) * complex(1e-6, 0.0)
        if abs(z) > 4.0:
            z = -z
    return [low, high, round(mixed * 1e6) / 1e6], bits, back, z


def fails(n: int, big: float) -> int:
    total = 0
    for i in range(n):
        x = i * 1.5
        if i == n - 1:
            x = big
        total += math.floor(x)
    return total


def missing(n: int) -> int:
    d: Dict[str, List[int]] = {"a": [1]}
    total = 0
    for i in range(n):
        total += len(d["a" if i < n - 1 else "b"])
    return total


f = [torch.jit.script(g) for g in (items, graph, tuples, numbers, fails, missing)]
for n in (1, 20, 700):
    for _ in range(3):
        a = f[0](n)
        b = f[1](n)
        c = f[2](n)
        d = f[3](n)
    print(n, a)
    print(b)
    print(c)
    print([round(x, 6) for x in d[0]], d[1], d[2], round(d[3].real, 6), round(d[3].imag, 6))
for call in (lambda: f[4](5000, 2.5), lambda: f[4](5000, 1e300), lambda: f[4](5000, math.nan), lambda: f[5](5000)):
    try:
        print(call())
    except Exception as e:
        print("<<" + type(e).__name__ + ">>")
        print(str(e).strip().split("\n")[-1])
        print("<<end>>")
