import torch
from typing import List, Tuple


@torch.jit.script
def collatz(n: int) -> Tuple[int, int]:
    steps = 0
    peak = n
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        peak = max(peak, n)
        steps += 1
    return steps, peak


@torch.jit.script
def first_prime_after(n: int, limit: int) -> int:
    for c in range(n + 1, limit):
        is_prime = c > 1
        d = 2
        while d * d <= c:
            if c % d == 0:
                is_prime = False
                break
            d += 1
        if is_prime:
            return c
    return -1


@torch.jit.script
def skip_some(xs: List[int]) -> Tuple[List[int], int]:
    out: List[int] = []
    skipped = 0
    for i, x in enumerate(xs):
        if x < 0:
            skipped += 1
            continue
        if x > 100:
            break
        if i % 3 == 2:
            skipped += 10
            continue
        out.append(x * i)
    return out, skipped


@torch.jit.script
def nested(n: int) -> List[List[int]]:
    rows: List[List[int]] = []
    for i in range(n):
        row: List[int] = []
        for j in range(n):
            if j > i:
                break
            if j == 0 or j == i:
                row.append(1)
            else:
                row.append(rows[i - 1][j - 1] + rows[i - 1][j])
        rows.append(row)
    return rows


@torch.jit.script
def zipped(a: List[int], b: List[str], c: Tuple[int, int, int]) -> List[str]:
    res: List[str] = []
    for x, y in zip(a, b):
        w = ""
        for _ in range(x):
            w += y
        res.append(w)
    k = 0
    for t in c:
        k += t
        res.append(str(k))
    for i, (p, q) in enumerate(zip(b, a)):
        res.append(f"{i}:{p}={q}")
    return res


@torch.jit.script
def early(n: int) -> str:
    while n > -10:
        n -= 3
        if n < 0:
            if n == -1:
                return "minus one"
            elif n == -2:
                return "minus two"
            else:
                return "minus three"
        elif n == 7:
            return "lucky"
    return "never"


@torch.jit.script
def steps(a: int, b: int, s: int) -> List[int]:
    return [i for i in range(a, b, s)]


@torch.jit.script
def tensor_loop(x: torch.Tensor, eps: float) -> Tuple[torch.Tensor, int]:
    it = 0
    guess = torch.ones_like(x)
    while bool(torch.any(torch.abs(guess * guess - x) > eps)) and it < 50:
        guess = 0.5 * (guess + x / guess)
        it += 1
    return guess, it


@torch.jit.script
def rows_of(x: torch.Tensor) -> List[float]:
    out: List[float] = []
    for row in x:
        s = 0.0
        for v in row:
            if float(v) > 4.0:
                continue
            s += v.item()
        out.append(s)
    return out


@torch.jit.script
def loopvar_after(n: int) -> Tuple[int, int]:
    i = -5
    last = -1
    for i in range(n):
        last = i * i
    return i, last


for n in (1, 6, 7, 27):
    print("collatz", n, collatz(n))
for n in (0, 1, 13, 24, 89):
    print("prime", n, first_prime_after(n, 97))
print(skip_some([5, -1, 3, 7, 9, 8, 200, 4]))
print(skip_some([]))
print(nested(6))
print(zipped([2, 0, 3], ["ab", "c", "é"], (4, 5, 6)))
print([early(n) for n in (0, 1, 2, 3, 10, 13, 16, 30)])
print(steps(0, 10, 3), steps(10, 0, -4), steps(5, 5, 1), steps(3, -3, -1))
g, it = tensor_loop(torch.tensor([4.0, 9.0, 2.0]), 1e-4)
print(g, it)
print(rows_of(torch.arange(9.0).reshape(3, 3)))
print(loopvar_after(0), loopvar_after(4))
try:
    steps(0, 3, 0)
except Exception as e:
    print(type(e).__name__, str(e).strip().split("\n")[-1])
