# complex numbers: literals, parts, arithmetic, printing, lists
import torch
import cmath
from typing import List, Dict

def err(f, *args):
    try:
        r = f(*args)
        if isinstance(r, (torch.jit.ScriptFunction, torch.jit.ScriptModule, type)):
            r = "compiled"
        print(r)
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")

def f(a: complex, b: float, n: int):
    c = a * 2 + b - 1j
    return c, a.real, a.imag, abs(a), a == a, a != c, c / 2, a ** 2, -a, a + n, n * a, b / a
err(lambda: torch.jit.script(f))
def g(xs: List[complex], d: Dict[complex, int]):
    print(xs, d)
    return sum(xs) if len(xs) > 5 else xs[0], 1j in xs, d.get(1j, 7)
err(lambda: torch.jit.script(g)([1j, 2 + 0j], {1j: 3}))
def g2(xs: List[complex]):
    print(xs)
    return xs[0], len(xs), xs + [2j]
err(lambda: torch.jit.script(g2)([1j, 2 + 0j]))
def h(a: complex, b: complex):
    return a < b
err(lambda: torch.jit.script(h))
def i(x):
    return torch.tensor(1 + 2j), x * 2j, torch.view_as_real(x * 1j), complex(x.item(), 2)
err(lambda: torch.jit.script(i)(torch.tensor(2.0)))
def j(a: complex):
    return cmath.sqrt(a), cmath.exp(a), cmath.phase(a), cmath.polar(a), cmath.log(a)
err(lambda: torch.jit.script(j)(3 + 4j))
def k(a: complex):
    return str(a), f"{a}", int(a.real), a.conjugate()
err(lambda: torch.jit.script(k)(3 + 4j))
def l(a: complex):
    return str(a), f"{a}", int(a.real), complex("1+2j")
err(lambda: torch.jit.script(l)(3 + 4j))
def m(a: complex):
    return str(a), f"{a} {1j}", float(a.imag)
err(lambda: torch.jit.script(m)(3 - 4j))
