import torch
from typing import Dict, List, NamedTuple, Optional, Tuple


class Edge(NamedTuple):
    src: int
    dst: int
    w: float = 1.0


class Point(NamedTuple):
    x: int
    y: int


@torch.jit.script
def bellman(edges: List[Edge], n: int, s: int) -> List[float]:
    dist = [float("inf") for _ in range(n)]
    dist[s] = 0.0
    for _ in range(n - 1):
        changed = False
        for e in edges:
            nd = dist[e.src] + e.w
            if nd < dist[e.dst]:
                dist[e.dst] = nd
                changed = True
        if not changed:
            break
    return dist


@torch.jit.script
def bfs(adj: Dict[int, List[int]], start: int) -> Tuple[List[int], Dict[int, int]]:
    seen: Dict[int, int] = {start: 0}
    queue = [start]
    order: List[int] = []
    while len(queue) > 0:
        u = queue.pop(0)
        order.append(u)
        if u not in adj:
            continue
        for v in adj[u]:
            if v not in seen:
                seen[v] = seen[u] + 1
                queue.append(v)
    return order, seen


@torch.jit.script
def word_hist(text: str) -> List[Tuple[str, int]]:
    d: Dict[str, int] = {}
    for w in text.lower().split():
        w = w.strip(".,!")
        d[w] = d.get(w, 0) + 1
    keys = sorted(d.keys())
    return [(k, d[k]) for k in keys]


@torch.jit.script
def lcs(a: str, b: str) -> str:
    m = len(a)
    n = len(b)
    t = [[0 for _ in range(n + 1)] for _ in range(m + 1)]
    for i in range(m):
        for j in range(n):
            if a[i] == b[j]:
                t[i + 1][j + 1] = t[i][j] + 1
            else:
                t[i + 1][j + 1] = max(t[i][j + 1], t[i + 1][j])
    out = ""
    i, j = m, n
    while i > 0 and j > 0:
        if a[i - 1] == b[j - 1]:
            out = a[i - 1] + out
            i -= 1
            j -= 1
        elif t[i - 1][j] >= t[i][j - 1]:
            i -= 1
        else:
            j -= 1
    return out


@torch.jit.script
def point_ops(p: Point, q: Point) -> Tuple[Point, int, int, Tuple[int, int], Point]:
    r = Point(p.x + q.x, p.y + q.y)
    a, b = r
    return r, a, r[1], (q.x, p.y), Point(y=1, x=2)


@torch.jit.script
def memo_fib(n: int, memo: Dict[int, int]) -> int:
    for i in range(n + 1):
        if i in memo:
            continue
        memo[i] = i if i < 2 else memo[i - 1] + memo[i - 2]
    return memo[n]


@torch.jit.script
def tensor_keys(d: Dict[str, torch.Tensor]) -> Dict[str, float]:
    out: Dict[str, float] = {}
    for k, v in d.items():
        out[k + "_sum"] = float(v.sum())
        out[k + "_max"] = float(v.max())
    return out


@torch.jit.script
def sieve(n: int) -> List[int]:
    flags = [True] * (n + 1)
    flags[0] = False
    flags[1] = False
    for i in range(2, n + 1):
        if not flags[i]:
            continue
        for j in range(i * i, n + 1, i):
            flags[j] = False
    out: List[int] = []
    for i, f in enumerate(flags):
        if f:
            out += [i]
    return out


@torch.jit.script
def sort_pairs(xs: List[Tuple[int, str]]) -> List[Tuple[int, str]]:
    xs.sort()
    return sorted(xs)


es = [Edge(0, 1, 4.0), Edge(0, 2), Edge(2, 1, 2.0), Edge(1, 3, 5.0)]
print(bellman(es, 5, 0))
print(bfs({0: [1, 2], 1: [3], 2: [3, 4]}, 0))
print(word_hist("The cat, the dog. A cat! the end"))
print(lcs("AGGTABXY", "GXTXAYBY"), repr(lcs("abc", "xyz")))
r = point_ops(Point(1, 2), Point(10, 20))
print(r, type(r[0]).__name__, r[0]._fields if hasattr(r[0], "_fields") else None)
memo = {}
print(memo_fib(50, {0: 0}))
print({k: round(v, 3) for k, v in tensor_keys({"a": torch.arange(4.0), "b": torch.tensor([-1.0, -2.0])}).items()})
print(sieve(30))
print(sort_pairs([(3, "a"), (1, "z"), (1, "b")]))
print(bellman.schema)
print(point_ops.schema)
print(memo_fib(10, {}))
