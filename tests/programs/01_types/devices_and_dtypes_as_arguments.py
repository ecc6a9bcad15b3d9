# devices, dtypes, layouts and memory formats as values of a script
import torch
from typing import List, Optional, Dict

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

def f(x, dev: torch.device, dt: torch.dtype):
    y = x.to(dev, dt)
    z = torch.zeros_like(y, dtype=torch.float64, memory_format=torch.contiguous_format)
    print(y.dtype, z.device, dt, dev, y.layout)
    return y.dtype == dt, dev.type, dev.index, str(dev), y.device == dev, torch.device("cpu", 0), torch.int8
s = torch.jit.script(f)
err(lambda: s(torch.ones(2), torch.device("cpu"), torch.float16))
err(lambda: s(torch.ones(2), "cpu", torch.int32))
err(lambda: s(torch.ones(2), "cpu", 3))
print(s.schema)
print(s.code)
def g(x):
    return x.dtype, x.device, x.layout, x.is_cuda, x.is_sparse, x.dtype == torch.float, x.is_floating_point(), x.is_complex()
err(lambda: torch.jit.script(g)(torch.ones(2)))
err(lambda: torch.jit.script(g).schema)
def h(names: List[str]):
    return [torch.device(n) for n in names]
err(lambda: torch.jit.script(h)(["cpu", "cuda:1", "meta"]))
err(lambda: torch.jit.script(h)(["nope"]))
def k(dts: List[torch.dtype], o: Optional[torch.dtype] = None, d: Optional[torch.device] = None):
    if o is None:
        o = torch.float32
    return torch.ones(2, dtype=o, device=d), len(dts)
err(lambda: torch.jit.script(k)([torch.float32, torch.int8]))
err(lambda: torch.jit.script(k).schema)
def m(d: Dict[str, torch.dtype]):
    return d["a"]
err(lambda: torch.jit.script(m)({"a": torch.bool}))
