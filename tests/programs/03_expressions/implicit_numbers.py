# bools and tensors become numbers where an operator or a function wants them; ints never become floats
import torch

def err(f, *args):
    try:
        r = f(*args)
        print("compiled" if isinstance(r, torch.jit.ScriptFunction) else r)
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")

def bools(x: bool, y: bool):
    return x + y, x * 2.5, -x, x // 1, abs(x), max(x, 1)

print(torch.jit.script(bools)(True, False))

def tensors(x):
    return [10, 20, 30][x], torch.zeros(x), 5 & x

print(torch.jit.script(tensors)(torch.tensor(1)))

def takes(x: float):
    return x

def from_bool(x: bool):
    return takes(x)

def from_int(x: int):
    return takes(x)

print(torch.jit.script(from_bool)(True))
err(torch.jit.script, from_int)
