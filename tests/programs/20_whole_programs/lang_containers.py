import torch
from typing import Dict, List, Tuple


@torch.jit.script
def list_methods(xs: List[int]) -> Tuple[List[int], int, int, int]:
    ys = xs.copy()
    ys.append(9)
    ys.extend([7, 7])
    ys.insert(1, 100)
    ys.insert(-1, 55)
    p = ys.pop()
    q = ys.pop(0)
    ys.remove(7)
    ys.reverse()
    return ys, p, q, ys.index(9) * 10 + ys.count(7)


@torch.jit.script
def sorting(a: List[int], b: List[float], c: List[str]) -> Tuple[List[int], List[int], List[float], List[str], List[str]]:
    a2 = sorted(a)
    a.sort(reverse=True)
    b.sort()
    c2 = sorted(c)
    c.sort(reverse=True)
    return a, a2, b, c, c2


@torch.jit.script
def slicing(xs: List[int]) -> List[List[int]]:
    return [xs[1:3], xs[:2], xs[-2:], xs[::2], xs[::-1], xs[5:1:-2], xs[10:], xs[:]]


@torch.jit.script
def assigning(xs: List[int]) -> List[int]:
    xs[0] = -1
    xs[-1] += 5
    xs[2] *= xs[1]
    xs[1] = xs[1] ** 2 if False else xs[1] * xs[1]
    del xs[0]
    return xs


@torch.jit.script
def reductions(xs: List[int], fs: List[float], bs: List[bool]) -> Tuple[int, int, int, float, float, float, bool, bool]:
    return sum(xs), min(xs), max(xs), sum(fs), min(fs), max(fs), any(bs), all(bs)


@torch.jit.script
def listops(a: List[int], b: List[int]) -> Tuple[List[int], List[int], bool, bool, bool, bool]:
    c = a + b
    c += [0]
    return c, [1, 2] * 2, a == b, a != b, 3 in a, 3 not in b


@torch.jit.script
def dict_methods(d: Dict[str, int]) -> Tuple[List[str], List[int], int, int, int, int, bool]:
    d["z"] = 26
    e = d.copy()
    d.update({"y": 25, "a": 11})
    p = d.pop("z")
    q = d.pop("nope", -3)
    s = d.setdefault("new", 5)
    g = d.get("a", 0) + d.get("missing", 1000)
    del d["y"]
    return list(d.keys()), list(d.values()), p, q, s, g, "z" in e and "z" not in d


@torch.jit.script
def dict_iter(d: Dict[int, float]) -> List[str]:
    out: List[str] = []
    for k in d:
        out.append(str(k))
    for k, v in d.items():
        out.append(f"{k}->{v}")
    for v in d.values():
        out.append(str(v))
    m = d.get(99)
    out.append("none" if m is None else "some")
    return out


@torch.jit.script
def comps(n: int) -> Tuple[List[int], List[int], Dict[int, float], Dict[str, List[int]], List[List[int]]]:
    a = [i * i for i in range(n)]
    b: List[int] = []
    for x in a:
        if x % 2 == 0:
            b.append(x)
    c = {i: i ** 2 for i in range(n)}
    d = {str(i): [i] for i in b}
    e = [[j for j in range(i)] for i in range(n)]
    return a, b, c, d, e


@torch.jit.script
def tuples(t: Tuple[int, str, float]) -> Tuple[str, float, int, Tuple[str, float], Tuple[int, str, float, int], bool]:
    a, b, c = t
    (d, e), f = (a, b), c
    return b, t[-1], len(t), t[1:], t + (4,), t[2] == 2.0


@torch.jit.script
def star(xs: List[int]) -> Tuple[int, int]:
    a, b, c = xs
    return a * c, b


@torch.jit.script
def misc() -> Tuple[List[str], List[int], List[Tuple[int, str]], int]:
    d = dict([("a", 1), ("b", 2)])
    e: Dict[str, int] = {}
    e.clear()
    return list("héy") if False else list("hey"), list(range(2, 8, 2)), list(zip([1, 2], ["p", "q"])), len(d) + len(e)


print(list_methods([3, 9, 4]))
print(sorting([3, 1, 2], [2.5, -1.0, 0.0], ["b", "a", "C"]))
print(slicing([0, 1, 2, 3, 4, 5]))
print(assigning([1, 2, 3, 4]))
print(reductions([4, -2, 7], [0.5, 1.5], [True, False]))
print(listops([1, 2], [3]))
print(dict_methods({"a": 1, "b": 2}))
print(dict_iter({3: 1.0, 1: 0.5}))
print(comps(5))
print(tuples((1, "a", 2.0)))
print(star([2, 3, 4]), misc())
xs = [1, 2, 3, 4]
assigning(xs)
print("caller sees", xs)
d = {"a": 1}
dict_methods(d)
print("caller dict", d)
for f in (lambda: star([1, 2]), lambda: slicing([]), lambda: assigning([1]), lambda: list_methods([1]), lambda: reductions([], [], [])):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, "|", str(e).strip().split("\n")[-1])
