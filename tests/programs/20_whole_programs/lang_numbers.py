import torch
from typing import List, Tuple


@torch.jit.script
def idiv(a: int, b: int) -> Tuple[int, int, float, int, Tuple[int, int]]:
    return a // b, a % b, a / b, -a // b, divmod(a, b)


@torch.jit.script
def fdiv(a: float, b: float) -> Tuple[float, float, float, Tuple[float, float]]:
    return a // b, a % b, a / b, divmod(a, b)


@torch.jit.script
def mixed(a: int, b: float) -> Tuple[float, float, float, float, float, bool, bool]:
    return a + b, a - b, a * b, a // b, a % b, a < b, a == b


@torch.jit.script
def ipow(a: int, b: int) -> Tuple[int, float, float]:
    return int(a ** b), float(a) ** b, pow(a, 0.5)


@torch.jit.script
def bits(a: int, b: int) -> List[int]:
    return [a & b, a | b, a ^ b, a ^ -1, a << 3, a >> 1, -a >> 1, (a << 2) | (b & 1)]


@torch.jit.script
def boolbits(a: bool, b: bool) -> List[bool]:
    return [a & b, a | b, a ^ b, not a, a and b, a or b, a == b]


@torch.jit.script
def overflow(a: int) -> Tuple[int, int, int, int]:
    return a + 1, a * 2, -a - 2, a - (-5)


@torch.jit.script
def conv(f: float, b: bool, i: int) -> Tuple[int, int, float, bool, bool, float]:
    return int(f), int(b), float(i), bool(i), bool(f), float(b)


@torch.jit.script
def rounding(x: float) -> Tuple[float, float, int, float]:
    return round(x), abs(x), abs(int(x)), abs(-x)


@torch.jit.script
def minmax(a: int, b: float, c: int) -> Tuple[float, float, int, int]:
    return min(float(a), b), max(float(c), b), min(a, c), max(a, c)


@torch.jit.script
def chain(a: int, b: int, c: int) -> Tuple[bool, bool, bool]:
    return a < b < c, a <= b != c, a == b or not b > c


@torch.jit.script
def aug(x: int, f: float) -> Tuple[int, float]:
    x += 3
    x -= 1
    x *= 4
    x = x // 3
    x = x % 7
    x <<= 2
    x |= 1
    x ^= 2
    x >>= 1
    x &= 15
    f += 1
    f *= 2
    f /= 3
    f -= 0.5
    return x, f


@torch.jit.script
def augmod(x: int, y: float):
    x %= 5
    y %= 1.5
    y **= 2
    return x, y


@torch.jit.script
def cplx(a: complex, b: complex) -> Tuple[complex, complex, complex, complex, float, float, float, bool]:
    return a + b, a * b, a / b, -a, torch.real(torch.tensor(a)).item() if False else abs(a), abs(b), abs(a * b), a == b


@torch.jit.script
def lits() -> Tuple[int, int, int, int, float, float, complex]:
    return 0xFF, 0b1011, 0o17, 1_000_000, 1e-3, 1_0.5, 3j


@torch.jit.script
def truthy(i: int, f: float, s: bool) -> str:
    r = ""
    if i:
        r += "i"
    if f:
        r += "f"
    if s and i or f:
        r += "m"
    return r


for a, b in ((7, 2), (-7, 2), (7, -2), (-7, -2), (0, 5)):
    print("idiv", a, b, idiv(a, b), "f", fdiv(float(a), float(b)))
print("fdiv", fdiv(5.5, -1.5), fdiv(-0.0, 3.0), fdiv(1e10, 3.3))
print(mixed(7, 2.0), mixed(-7, 2.5), mixed(2, 2.0))
print(ipow(2, 10), ipow(3, 0), ipow(5, 3))
print(bits(13, 6), bits(0, -1), bits(-8, 5))
print(boolbits(True, False), boolbits(True, True))
print(overflow(9223372036854775807), overflow(-9223372036854775808))
print(conv(2.9, True, 0), conv(-2.9, False, 3), conv(0.0, True, -1))
for x in (2.5, 3.5, -2.5, 0.4999, 1e300 / 1e290):
    print("round", x, rounding(x))
print(minmax(1, 2.5, 3), minmax(5, -2.5, -3))
print(chain(1, 2, 3), chain(3, 2, 1), chain(2, 2, 2))
print(aug(5, 1.5), aug(-5, 0.0))
print(augmod(-7, -2.25), augmod(7, 2.0))
print(cplx(1 + 2j, 3 - 1j))
print(lits(), truthy(0, 0.0, True), truthy(2, 0.0, True), truthy(0, 1.0, False))
for f in (lambda: idiv(1, 0), lambda: fdiv(1.0, 0.0), lambda: bits(1, 2 ** 63), lambda: bits(True, 2), lambda: mixed(1.5, 2.0),
          lambda: ipow(2, -1), lambda: conv(-1e15, True, 1), lambda: mixed(1, 2)):
    try:
        print(f())
    except Exception as e:
        ls = str(e).strip().split("\n")
        print(type(e).__name__, "|", ls[0], "|", ls[-1])
