# x %= y of two ints gives a float, as /= does; a name may change from int to float
import torch

def err(f, *args):
    try:
        print(f(*args))
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")

def modulo(x: int, y: int):
    x %= y
    return x


def divide(x: int, y: int):
    x /= y
    return x


def divide_float(x: float, y: int):
    x /= y
    x -= 1
    x *= 3
    return x


for f in [modulo, divide, divide_float]:
    err(lambda: torch.jit.script(f)(7, 2))
