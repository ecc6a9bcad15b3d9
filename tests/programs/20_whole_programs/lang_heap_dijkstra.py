# Binary heaps, Dijkstra, topological sort, union-find and heap sort in script.
import torch
from typing import Dict, List, Tuple, Optional


def _less(a: Tuple[float, int], b: Tuple[float, int]) -> bool:
    if a[0] != b[0]:
        return a[0] < b[0]
    return a[1] < b[1]


def heap_push(h: List[Tuple[float, int]], item: Tuple[float, int]):
    h.append(item)
    i = len(h) - 1
    while i > 0:
        p = (i - 1) // 2
        if _less(h[i], h[p]):
            h[i], h[p] = h[p], h[i]
            i = p
        else:
            break


def heap_pop(h: List[Tuple[float, int]]) -> Tuple[float, int]:
    top = h[0]
    last = h.pop()
    n = len(h)
    if n > 0:
        h[0] = last
        i = 0
        while True:
            l = 2 * i + 1
            r = l + 1
            m = i
            if l < n and _less(h[l], h[m]):
                m = l
            if r < n and _less(h[r], h[m]):
                m = r
            if m == i:
                break
            tmp = h[i]
            h[i] = h[m]
            h[m] = tmp
            i = m
    return top


@torch.jit.script
def dijkstra(g: Dict[int, List[Tuple[int, float]]], src: int) -> Tuple[Dict[int, float], Dict[int, int]]:
    dist: Dict[int, float] = {src: 0.0}
    prev: Dict[int, int] = {}
    done: List[int] = []
    heap: List[Tuple[float, int]] = []
    heap_push(heap, (0.0, src))
    while len(heap) > 0:
        d, u = heap_pop(heap)
        if u in done:
            continue
        done.append(u)
        if u not in g:
            continue
        for v, w in g[u]:
            if w < 0:
                raise ValueError("negative edge")
            nd = d + w
            if v not in dist or nd < dist[v]:
                dist[v] = nd
                prev[v] = u
                heap_push(heap, (nd, v))
    return dist, prev


@torch.jit.script
def path_to(prev: Dict[int, int], src: int, dst: int) -> Optional[List[int]]:
    p = [dst]
    while p[-1] != src:
        if p[-1] not in prev:
            return None
        p.append(prev[p[-1]])
    p.reverse()
    return p


@torch.jit.script
def heapsort(t: torch.Tensor) -> List[float]:
    h: List[Tuple[float, int]] = []
    for i in range(t.size(0)):
        heap_push(h, (float(t[i]), i))
    out: List[float] = []
    while h:
        out.append(heap_pop(h)[0])
    return out


@torch.jit.script
def topo(deps: Dict[str, List[str]]) -> List[str]:
    indeg: Dict[str, int] = {}
    for k, vs in deps.items():
        indeg[k] = indeg.get(k, 0) + len(vs)
        for v in vs:
            indeg[v] = indeg.get(v, 0)
    out: List[str] = []
    while len(out) < len(indeg):
        ready: List[str] = []
        for k, c in indeg.items():
            if c == 0:
                ready.append(k)
        if len(ready) == 0:
            raise RuntimeError("cycle after " + ",".join(out))
        ready.sort()
        pick = ready[0]
        out.append(pick)
        indeg[pick] = -1
        for k, vs in deps.items():
            for v in vs:
                if v == pick:
                    indeg[k] -= 1
    return out


@torch.jit.script
def find(parent: List[int], x: int) -> int:
    while parent[x] != x:
        parent[x] = parent[parent[x]]
        x = parent[x]
    return x


@torch.jit.script
def components(n: int, edges: List[Tuple[int, int]]) -> List[List[int]]:
    parent = [i for i in range(n)]
    for a, b in edges:
        ra, rb = find(parent, a), find(parent, b)
        if ra != rb:
            parent[max(ra, rb)] = min(ra, rb)
    groups: Dict[int, List[int]] = {}
    for i in range(n):
        r = find(parent, i)
        if r in groups:
            groups[r].append(i)
        else:
            groups[r] = [i]
    return [groups[k] for k in sorted(groups.keys())]


def first(e):
    ls = [l.strip() for l in str(e).split("\n") if l.strip()]
    return type(e).__name__ + ": " + (ls[0] if "Cast error" in ls[-1] else ls[-1])


G = {0: [(1, 4.0), (2, 1.0)], 2: [(1, 2.0), (3, 7.0)], 1: [(3, 1.5)], 3: [(4, 0.25)], 9: [(0, 1.0)]}
d, p = dijkstra(G, 0)
print(list(d.items()))
print(list(p.items()))
print(path_to(p, 0, 4), path_to(p, 0, 9), path_to(p, 0, 0))
print(list(dijkstra({}, 5)[0].items()))
print(heapsort(torch.tensor([3.0, -1.0, 2.5, 2.5, 0.0, 9.0])))
print(heapsort(torch.tensor([7, 3, 5])))
print(heapsort(torch.zeros(0)))
print(topo({"app": ["lib", "util"], "lib": ["core"], "util": ["core", "log"], "log": []}))
print(components(7, [(0, 1), (5, 6), (1, 4), (2, 5)]))
print(components(0, []))
for fn, args in [(dijkstra, ({0: [(1, -1.0)]}, 0)), (topo, ({"a": ["b"], "b": ["a"], "c": []},)),
                 (components, (2, [(0, 5)])), (dijkstra, ({0: [(1, 2)]}, 0)), (find, ([0], 0.5))]:
    try:
        print(fn(*args))
    except Exception as e:
        print(first(e))
# heap functions become script functions through use
sp = torch.jit.script(heap_pop)
h = [(1.0, 1), (2.0, 0), (1.5, 3)]
print(sp(h), h)
try:
    sp([])
except Exception as e:
    print(first(e))
