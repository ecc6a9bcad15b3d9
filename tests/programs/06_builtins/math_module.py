# functions of math on ints and floats, rounded to nine digits
import math
from typing import List

import torch


@torch.jit.script
def trig(x: float) -> List[float]:
    return [math.sin(x), math.cos(x), math.tan(x), math.atan2(x, 2.0), math.asin(x), math.sinh(x), math.acosh(1.0 + x)]


@torch.jit.script
def powers(x: float) -> List[float]:
    return [math.exp(x), math.log(x), math.log10(x), math.log1p(x), math.sqrt(x), math.pow(x, 3.0), math.expm1(x)]


@torch.jit.script
def special(x: float) -> List[float]:
    return [math.erf(x), math.erfc(x), math.gamma(x), math.lgamma(x), math.fabs(-x), math.copysign(x, -1.0)]


@torch.jit.script
def whole(a: int, b: int):
    return math.gcd(a, b), math.factorial(b), math.log(a), math.sqrt(a), math.degrees(math.pi), math.fmod(a, b)


@torch.jit.script
def apart(x: float):
    return math.modf(x), math.frexp(x), math.ldexp(x, 3)


for f in [trig, powers, special]:
    print([round(v, 9) for v in f(0.75)])
print([round(float(v), 9) for v in whole(84, 6)])
print(apart(6.25))
print(math.inf, math.e)
