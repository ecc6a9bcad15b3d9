# infinities, nan and signed zero as float values
import math

import torch


@torch.jit.script
def specials(x: float):
    inf = float("inf")
    nan = float("nan")
    return inf, -inf, nan, inf - inf == 0.0, nan != nan, x < inf, -0.0, 1.0 / inf


@torch.jit.script
def classify(xs: list[float]) -> list[str]:
    out: list[str] = []
    for x in xs:
        if math.isnan(x):
            out.append("nan")
        elif math.isinf(x):
            out.append("positive" if x > 0 else "negative")
        elif x == 0.0:
            out.append("zero")
        else:
            out.append("finite")
    return out


print(specials(1.0))
print(classify([0.0, -0.0, 1e308 * 10, float("nan"), -float("inf"), 5e-324]))
