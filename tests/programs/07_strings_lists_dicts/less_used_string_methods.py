# partition, expandtabs, zfill, center, title, swapcase and the rest
import torch
from typing import List

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

def f(s: str):
    return s.partition("-"), s.rpartition("-"), s.expandtabs(4), s.zfill(8), s.center(9, "*"), s.ljust(7) + "|", s.rjust(7, ".") 
s = torch.jit.script(f)
print(s("a-b-c"), s("\tx"), s("+42"))
def g(s: str):
    return s.title(), s.swapcase(), s.capitalize(), s.casefold(), s.count("l"), s.index("o"), s.rindex("o"), s.rfind("zz")
err(lambda: torch.jit.script(g)("hello wOrld"))
def g2(s: str):
    return s.title(), s.swapcase(), s.capitalize(), s.count("l"), s.index("o"), s.rindex("o"), s.rfind("zz")
s = torch.jit.script(g2)
print(s("hello wOrld"))
err(s, "xyz")
def h(s: str):
    return s.splitlines(), s.splitlines(True), s.rsplit(" ", 1), s.split(), s.split(None, 1)
err(lambda: torch.jit.script(h)("a b\nc  d\r\ne"))
def i(s: str):
    return s.isalnum(), s.isalpha(), s.isdecimal(), s.isdigit(), s.isidentifier(), s.islower(), s.isnumeric(), s.isprintable(), s.isspace(), s.istitle(), s.isupper()
for v in ("a1", "12", "Hi There", " ", "", "_x"):
    print(torch.jit.script(i)(v))
def j(s: str):
    return s.strip("xy"), s.lstrip(), s.rstrip("\n"), s.replace("a", "bb", 1), s.startswith("x", 1), s.endswith("y")
print(torch.jit.script(j)("xxaay"), torch.jit.script(j)(" a\n"))
def k(xs: List[str]):
    return ", ".join(xs), "".join(xs), "-".join([])
err(lambda: torch.jit.script(k)(["p", "q"]))
def l(s: str):
    return s.encode()
err(torch.jit.script, l)
def m(s: str, i: int):
    return s[i], s[1:], s[::-1], s[-2:], s[::2], "l" in s
err(lambda: torch.jit.script(m)("hello", 1))
err(lambda: torch.jit.script(m)("hello", 9))
