# round, floor, ceil and int() on halves and negatives; round takes no number of digits
import math

import torch

def err(f, *args):
    try:
        print(f(*args))
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")


@torch.jit.script
def ways(x: float):
    return round(x), math.floor(x), math.ceil(x), int(x)


def digits(x: float, n: int) -> float:
    return round(x, n)


for x in [0.5, 1.5, 2.5, -0.5, -1.5, 2.4999, -2.6]:
    print(x, ways(x))
err(torch.jit.script, digits)
