# str.format, percent, f-strings with containers, tensors, None and floats
import torch
from typing import Dict, List, Optional

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

def a(i: int, f: float, s: str, xs: List[float], d: Dict[str, int], o: Optional[int], b: bool, t):
    print("{} {} {} {} {} {} {}".format(i, f, s, xs, d, o, b))
    print(f"{i}{f}{s}{xs}{d}{o}{b}")
    print("%s %s %s %s %s %s %s" % (i, f, s, xs, d, o, b))
    return "{}".format(t), f"{t}", "%s" % t
s = torch.jit.script(a)
for v in s(1, 2.0, "q", [1.5, 2.0], {"k": 1}, None, True, torch.tensor([1, 2])):
    print(v)
print(s.code)
def b(f: float):
    return "{}".format(f), f"{f}", "%f" % f, "%e" % f, "%g" % f, "%.2f" % f, "%d" % f, "%i" % f
for v in (1.0, 0.1, 1e20, 1e-7, 123456.789, float("nan"), float("inf")):
    err(torch.jit.script(b), v)
def b2(f: float):
    return "{}".format(f), f"{f}", "%s" % f, "%f" % f
for v in (1.0, 0.1, 1e20, 1e-7, 123456.789, float("nan"), -float("inf")):
    err(torch.jit.script(b2), v)
def c(i: int):
    return "{:d}".format(i)
err(lambda: torch.jit.script(c)(1))
def d(i: int):
    return "{0} {1} {0}".format(i, i + 1)
err(lambda: torch.jit.script(d)(1))
def e(i: int):
    return "%d %d" % (i,)
err(lambda: torch.jit.script(e)(1))
def f(i: int):
    return "%d" % (i, i)
err(lambda: torch.jit.script(f)(1))
def g(s: str):
    return s % 3, s.format(4)
err(lambda: torch.jit.script(g)("%d {}"))
err(lambda: torch.jit.script(g)("none"))
def h(i: int):
    return "{" + str(i) + "}", "{{}}", "100%", f"{{{i}}}", "%%"
err(lambda: torch.jit.script(h)(1))
def k(xs: List[str]):
    return "{}".format(xs), str(xs), "{}".format([1.0, 2.5]), str((1, "a", None)), str({"a": [1]})
err(lambda: torch.jit.script(k)(["a", "b'c"]))
def l(i: int):
    return "%x %X %o %c %r %5d %-5d| %+d %05d" % (i, i, i, i, i, i, i, i, i)
err(lambda: torch.jit.script(l)(65))
