# which class and text an exception of a script has
import torch

def err(f, *args):
    try:
        r = f(*args)
        print("compiled" if isinstance(r, torch.jit.ScriptFunction) else r)
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")

class Mine(Exception):
    pass

def f(n: int):
    if n == 0:
        raise ValueError("v", n)
    if n == 1:
        raise AssertionError("a")
    if n == 2:
        raise KeyError
    if n == 3:
        raise Mine("m")
    if n == 4:
        assert n > 4, f"bad {n}"
    assert n > 5
    raise RuntimeError(n)

s = torch.jit.script(f)
for i in range(7):
    err(s, i)

def number(n: int):
    raise n

def text(n: int):
    raise "a"

def a_type(n: int):
    raise int

for g in (number, text, a_type):
    err(torch.jit.script, g)
