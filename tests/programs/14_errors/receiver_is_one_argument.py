# the object before the dot is never the first item of a list without brackets; divmod of ints by zero
import torch


def err(f, *args):
    try:
        print(f(*args))
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")


def total(x):
    return x.sum(dimm=0)


def four(x):
    return x.sum(1, 2, 3, 4)


def items(x: int):
    return x.sum()


@torch.jit.script
def both(a: int, b: int):
    return divmod(a, b)


err(torch.jit.script, total)
err(torch.jit.script, four)
err(torch.jit.script, items)
err(both, 7, -2)
err(both, 7, 0)
