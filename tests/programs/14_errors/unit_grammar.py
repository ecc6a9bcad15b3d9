"""Texts that the grammar of ``torch.jit.CompilationUnit`` does not have: the first token without a place is named."""

import torch

BODIES = [
    "y = (x", "y = x)", "y = [x, 1", "y = {x: 1, 2}", "y = x[1", "y = f(x y)", "y = (x y)", "y = x +", "y = x and", "y = ",
    "x +=", "x //= 2", "x @= x", "g = lambda y: y", "if (n := 3) > 2:\n        pass", "while x\n        pass", "if x > 1\n        pass",
    "for i in\n        pass", "raise", "assert", "del", "return (1", "x.", "y = 'open", "y = $x", "global",
    "y = x if x", "y = x ** ** 2", "y = x <= >= 2", "with x as:\n        pass", "pass pass", "return return", "y = 1 if x else",
    "y = f(x, *)", "y = f(**x)", "y = x[1:2:3:4]", "y = ...x", "y = 0x", "import torch", "class A:\n        pass", "break 3",
]
HEADERS = [
    "def f(x, *a):", "def f(x, **a):", "def f(x y):", "def f(x: ):", "def f(x=):", "def f(x)", "def f x:", "def (x):", "def f(x) -> :", "f(x):",
    "def f(x,, y):", "def 3(x):", "@torch.jit.script\ndef f(x):", "class F:", "x = 3", "def f(x): return x", "async def f(x):",
]


def told(text):
    try:
        torch.jit.CompilationUnit(text)
    except Exception as error:
        print(type(error).__name__, str(error))
    else:
        print("taken")


for body in BODIES:
    print("=====", repr(body))
    told(f"def f(x):\n    {body}\n    return x\n")
for header in HEADERS:
    print("=====", repr(header))
    told(f"{header}\n    return x\n")
print("=====")
told("def f(x):\n    y = x\n      z = y\n    return z\n")
told("def f(x: int) -> str:\n    x = 2\ndef g(x: int):\n    return x\n")

unit = torch.jit.CompilationUnit("def f(x: int, *, n: int = 2, s: str = 'a'):\n    return s + str(x + n)\ndef g(x: int):\n    return f(x, s='b')\n")
print(unit.f.schema, unit.f(1), unit.f(1, n=0), unit.g(2))
print(torch.jit.CompilationUnit("def f(x: int):\n    y = x\n").f.graph)
