# the Python side of scripts: CompilationUnit, ScriptModule with script_method, save_to_buffer, export_opnames, contexts, optimised graphs, isinstance
import torch
import torch.nn as nn
import torch.nn.functional as F
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union

class Bad:
    graph = code = schema = inlined_graph = "-"
    def __call__(self, *args):
        raise ValueError("not compiled")

def js(f):
    try:
        return torch.jit.script(f)
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")
        return Bad()

def err(f, *args, **kw):
    try:
        r = f(*args, **kw)
        print("ok", "compiled" if isinstance(r, (torch.jit.ScriptFunction, torch.jit.ScriptModule)) else r)
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")

def sec(f):
    print("--", f.__name__)
    try:
        f()
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")

import io
src = """
def add(x, y: int = 2):
    return x + y
def twice(x: Tensor) -> Tensor:
    return add(add(x), 3)
def lst(n: int) -> List[int]:
    r = torch.jit.annotate(List[int], [])
    for i in range(n):
        r.append(i)
    return r
"""
class Old(torch.jit.ScriptModule):
    __constants__ = ["k"]
    def __init__(self):
        super().__init__()
        self.k = 4
        self.w = nn.Parameter(torch.ones(1))
        self.lin = nn.Linear(1, 1)
    @torch.jit.script_method
    def forward(self, x):
        return self.other(x) * self.k + self.w
    @torch.jit.script_method
    def other(self, x, n: int = 3):
        return x + n
    def plain(self):
        return "plain"
@sec
def cu():
    c = torch.jit.CompilationUnit(src)
    print(c.twice(torch.ones(1)), c.lst(3), c.add.schema, c.twice.graph, c.twice.code, c.twice.name)
    err(lambda: c.nope)
    err(c.define, "def z(x):\n  return q")
    err(c.define, "def (x")
    err(c.define, "x = 3")
    err(c.define, "def add(x):\n    return x")
    c.define("def w(x: Tensor):\n    return torch.relu(x)\n")
    print(c.w(torch.tensor([-1.0, 1.0])))
    err(torch.jit.CompilationUnit, "def f(x):\nreturn x")
    err(torch.jit.CompilationUnit, "def f(x: Foo):\n    return x")
    err(torch.jit.CompilationUnit, "def f(x):\n    return x +\n")
    err(torch.jit.CompilationUnit, "def f(x):\n    y = 'abc\n    return x")
    err(torch.jit.CompilationUnit, "def f(x):\n    return x $ 3")
    err(torch.jit.CompilationUnit, "class A:\n    pass")
    err(torch.jit.CompilationUnit, "def f(x):\n    return (x, [x, {1: x})")
    err(c.add, "a")
    err(c.add)
@sec
def old():
    m = Old()
    print(m, m(torch.ones(1)), m.plain(), m.k, type(m).__name__, isinstance(m, torch.jit.ScriptModule))
    print(m.graph, m.code, m.other.code, m.other.schema)
    err(lambda: setattr(m, "newp", 3))
    b = io.BytesIO(m.save_to_buffer())
    l = torch.jit.load(b)
    print(l(torch.ones(1)), l, torch.jit.export_opnames(m))
    class E(torch.jit.ScriptModule):
        pass
    err(E())
    err(lambda: E()(torch.ones(1)))
    class Ctor(torch.jit.ScriptModule):
        def __init__(self):
            self.x = 3
    err(Ctor)
@sec
def misc():
    s = torch.jit.script(nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Dropout(0.2)))
    print(torch.jit.export_opnames(s), isinstance(s, nn.Module), isinstance(s, torch.jit.RecursiveScriptModule), isinstance(s, nn.Sequential))
    print(torch.jit.isinstance([1, 2], List[int]), torch.jit.isinstance([1, "a"], List[int]), torch.jit.isinstance({"a": [1.0]}, Dict[str, List[float]]), torch.jit.isinstance((1, "a"), Tuple[int, str]), torch.jit.isinstance(None, Optional[int]), torch.jit.isinstance([], List[int]), torch.jit.isinstance(1, (int, str)))
    err(torch.jit.isinstance, [1], List)
    err(torch.jit.isinstance, 1, 3)
    with torch.jit.optimized_execution(False):
        print(s(torch.ones(1, 2)).shape)
    print(torch.jit.annotate(List[int], [1]), torch.jit.is_scripting(), torch.jit.is_tracing(), torch.jit.Final is not None, torch.jit._overload is not None, torch.jit.Attribute(1, int), torch.jit.Error.__mro__[1].__name__, torch.jit.TracerWarning.__mro__[1].__name__, torch.jit.ScriptFunction.__name__, torch.jit.TracingCheckError.__name__)
    err(torch.jit.save, nn.Linear(1, 1), io.BytesIO())
    err(torch.jit.save, s, 3)
    err(torch.jit.load, 3)
    err(torch.jit.script, s, example_inputs=[(1,)])
    print(torch.jit.set_fusion_strategy([("STATIC", 2)]), torch.jit.unused(print) is print, torch.jit.ignore(print) is print if False else "")
    err(torch.jit.ignore, 3)
    err(torch.jit.export, 3)
    err(torch.jit.interface, int)
    err(torch.jit.interface, 3)
    err(lambda: torch.jit.script(int))
    f = torch.jit.script(lambda_free)
    print(f.save_to_buffer()[:2], f.get_debug_state() is not None, f.inlined_graph, f._debug_flush_compilation_cache())
    print(torch.jit.last_executed_optimized_graph() is not None if False else "", [k for k in sorted(dir(torch.jit)) if k[0] != "_" and k[0].isupper()])
    ov = torch.jit.script(ovl_user)
    print(ov(1), ov.code)
@torch.jit._overload
def ovl(x: int) -> int:
    pass
@torch.jit._overload
def ovl(x: str) -> str:
    pass
def ovl(x):
    return x + x if not isinstance(x, str) else x
def ovl_user(n: int):
    return ovl(n), ovl("q")
def lambda_free(x: torch.Tensor, y: Optional[List[int]] = None) -> torch.Tensor:
    return x.relu() if y is None else x.sum(y)

