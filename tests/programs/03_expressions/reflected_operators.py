# numbers before tensors: compositions of other operators, with places in a library text
import torch

def err(f, *args):
    try:
        r = f(*args)
        print("compiled" if isinstance(r, torch.jit.ScriptFunction) else r)
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")

def f(x):
    return 1 + x, 2 - x, 3 * x, 4 / x, x // 2, 1 < x, 2 >= x, 3 == x, 4 != x

s = torch.jit.script(f)
print(s(torch.tensor([1.0, 2.0])))
print(s.graph)

def g(a: str, b: str):
    return a in b, a not in b

print(torch.jit.script(g)("el", "hello"))
print(torch.jit.script(g).graph)
