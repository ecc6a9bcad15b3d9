# forward hooks and pre hooks on scripted modules, hooks of eager modules around scripts, parametrisations, weight norm
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

class Sub(nn.Module):
    def __init__(self, k: float):
        super().__init__()
        self.k = k
    def forward(self, x: torch.Tensor, y: int) -> torch.Tensor:
        return x * self.k + y

def pre(self, inputs: Tuple[torch.Tensor, int]) -> Tuple[torch.Tensor, int]:
    print("pre", self.k, inputs[1])
    return inputs[0] + 1, inputs[1] * 2
def pre_none(self, inputs: Tuple[torch.Tensor, int]) -> None:
    print("pre none")
def post(self, inputs: Tuple[torch.Tensor, int], out: torch.Tensor) -> torch.Tensor:
    print("post", out.sum().item() > 0 if False else inputs[1])
    return out * 10
def post_str(self, inputs: Tuple[torch.Tensor, int], out: torch.Tensor) -> str:
    return "value %d" % int(out.sum())
def bad_pre(self, inputs: Tuple[torch.Tensor]) -> Tuple[torch.Tensor, int]:
    return inputs[0], 1
def bad_pre2(self, inputs: Tuple[torch.Tensor, int]) -> int:
    return 1
def bad_pre3(self, inputs) -> None:
    pass
def bad_post(self, inputs: Tuple[torch.Tensor, int], out: str) -> torch.Tensor:
    return inputs[0]
def bad_post2(self, inputs: Tuple[torch.Tensor, int]) -> torch.Tensor:
    return inputs[0]
def bad_post3(self, inputs: Tuple[torch.Tensor, int], out: torch.Tensor) -> torch.Tensor:
    return self.missing

class Top(nn.Module):
    def __init__(self, *hooks):
        super().__init__()
        self.sub = Sub(2.0)
        for kind, h in hooks:
            if kind == "pre":
                self.sub.register_forward_pre_hook(h)
            else:
                self.sub.register_forward_hook(h)
    def forward(self, x: torch.Tensor):
        return self.sub(x, 3)

@sec
def main():
    x = torch.tensor([1.0, 2.0])
    for hs in ([], [("pre", pre)], [("pre", pre), ("pre", pre_none), ("post", post)], [("post", post), ("post", post_str)], [("pre", pre_none), ("post", post_str)]):
        t = Top(*hs)
        print("eager", t(x))
        s = js(t)
        err(s, x)
        print(s.code, s.graph)
        err(s.sub, x, 1)
        err(lambda: s.sub.forward(x, 1))
@sec
def bads():
    for k, h in (("pre", bad_pre), ("pre", bad_pre2), ("pre", bad_pre3), ("post", bad_post), ("post", bad_post2), ("post", bad_post3)):
        print(h.__name__)
        err(torch.jit.script, Top((k, h)))
@sec
def eager():
    s = torch.jit.script(Sub(3.0))
    h1 = s.register_forward_hook(lambda m, i, o: print("hook", type(m).__name__, i, o))
    h2 = s.register_forward_pre_hook(lambda m, i: (i[0] * 2, i[1]))
    print(s(torch.ones(1), 1))
    h1.remove(); h2.remove()
    print(s(torch.ones(1), 1))
    lin = torch.jit.script(nn.Linear(2, 1, bias=False))
    with torch.no_grad():
        lin.weight.copy_(torch.tensor([[1.0, 2.0]]))
    lin.register_full_backward_hook(lambda m, gi, go: print("bw", gi, go))
    y = lin(torch.ones(1, 2, requires_grad=True))
    y.sum().backward()
    print(lin.weight.grad)
    lin.weight.register_hook(lambda g: g * 100)
    lin(torch.ones(1, 2)).sum().backward()
    print(lin.weight.grad)
@sec
def param():
    import torch.nn.utils.parametrize as P
    class Sym(nn.Module):
        def forward(self, X):
            return X.triu() + X.triu(1).T
        def right_inverse(self, A):
            return A.triu()
    torch.manual_seed(0)
    l = nn.Linear(2, 2)
    P.register_parametrization(l, "weight", Sym())
    print(l)
    print(l.weight, l.parametrizations.weight.original, P.is_parametrized(l), type(l).__name__)
    err(torch.jit.script, l)
    t = torch.jit.trace(l, torch.ones(1, 2))
    print(t.code)
    print(t.graph)
    P.remove_parametrizations(l, "weight")
    print(l, type(l).__name__, list(l.state_dict()))
    w = nn.utils.weight_norm(nn.Linear(2, 2))
    print(list(w.state_dict()), w)
    err(torch.jit.script, w)
    w2 = nn.utils.parametrizations.weight_norm(nn.Linear(2, 3))
    print(w2, list(w2.state_dict()))
    o = nn.utils.parametrizations.orthogonal(nn.Linear(3, 3))
    print((o.weight @ o.weight.T - torch.eye(3)).abs().max() < 1e-5)
    sn = nn.utils.spectral_norm(nn.Linear(2, 2))
    print(sn, list(sn.state_dict()), [n for n, _ in sn.named_buffers()])
