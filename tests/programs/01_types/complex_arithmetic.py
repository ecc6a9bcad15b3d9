# complex scalars: arithmetic, comparison, cmath, conversion to tensors; they have no attributes
import cmath

import torch

def err(f, *args):
    try:
        print(f(*args))
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")


@torch.jit.script
def rotate(z: complex, quarter_turns: int) -> complex:
    for _ in range(quarter_turns):
        z = z * 1j
    return z


@torch.jit.script
def parts(z: complex):
    return abs(z), z == complex(3, -4), z != 3j, -z, z - 1, 2.0 * z, z / (1 + 1j)


@torch.jit.script
def roots(re: float, im: float):
    z = complex(re, im)
    return cmath.sqrt(z), cmath.phase(z), torch.tensor(z * z)


def real_part(z: complex) -> float:
    return z.real


for turns in range(5):
    print(rotate(3 + 1j, turns))
print(parts(3 - 4j))
print(roots(-4.0, 0.0))
err(torch.jit.script, real_part)
