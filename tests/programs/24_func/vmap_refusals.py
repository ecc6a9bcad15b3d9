"""vmap: what it refuses, and in which words."""
import torch
from torch.func import vmap

x = torch.arange(12.0).reshape(3, 4)


def tell(what, f):
    try:
        print(what, "gives", f())
    except Exception as e:
        print(what, type(e).__name__, str(e))


tell("item", lambda: vmap(lambda a: a.sum().item())(x))
tell("float", lambda: vmap(lambda a: float(a.sum()))(x))
tell("if", lambda: vmap(lambda a: a if a.sum() > 0 else -a)(x))
tell("nonzero", lambda: vmap(torch.nonzero)(x))
tell("mask", lambda: vmap(lambda a: a[a > 0])(x))
tell("masked_select", lambda: vmap(lambda a: a.masked_select(a > 0))(x))
tell("tolist", lambda: vmap(lambda a: a.tolist())(x))
tell("copy_", lambda: vmap(lambda a, b: a.copy_(b), (None, 0))(torch.zeros(4), x))
tell("add_", lambda: vmap(lambda a, b: a.add_(b), (None, 0))(torch.zeros(4), x))
tell("mul_", lambda: vmap(lambda a: torch.zeros(4).mul_(a))(x))
tell("out", lambda: vmap(lambda a: torch.add(a, a, out=torch.zeros(4)))(x))
tell("number", lambda: vmap(lambda a: 1)(x))
tell("string", lambda: vmap(lambda a: (a, "b"))(x))
tell("none", lambda: vmap(lambda a: None)(x))
tell("out_dims None", lambda: vmap(lambda a: a, out_dims=None)(x))
tell("out_dims", lambda: vmap(lambda a: a, out_dims=(0, 0))(x))
tell("out_dims", lambda: vmap(lambda a: (a, a), out_dims=(0,))(x))
tell("out_dims", lambda: vmap(lambda a: a, out_dims=3)(x))
tell("out_dims", lambda: vmap(lambda a: a, out_dims="a")(x))
tell("in_dims", lambda: vmap(lambda a: a, in_dims=(0, 0))(x))
tell("in_dims", lambda: vmap(lambda a: a, in_dims=2)(x))
tell("in_dims", lambda: vmap(lambda a: a, in_dims=None)(x))
tell("in_dims", lambda: vmap(lambda a, b: a, in_dims=(0, "b"))(x, x))
tell("in_dims", lambda: vmap(lambda a, b: a, in_dims=(0, 0))(x, 3))
tell("in_dims", lambda: vmap(lambda a, b: a, in_dims=(None, None))(x, x))
tell("in_dims", lambda: vmap(lambda a, b: a, in_dims=[0, 0])(x, x))
tell("in_dims", lambda: vmap(lambda a: a, in_dims=({"a": 0},))({"b": x}))
tell("no inputs", lambda: vmap(lambda: 1)())
tell("scalar", lambda: vmap(lambda a: a)(torch.tensor(1.0)))
tell("sizes", lambda: vmap(lambda a, b: a)(x, torch.ones(5)))
tell("random", lambda: vmap(lambda a: a + torch.randn(4))(x))
tell("dropout", lambda: vmap(torch.nn.Dropout())(x))
tell("randomness", lambda: vmap(lambda a: a, randomness="foo")(x))
tell("chunk", lambda: vmap(lambda a: a, chunk_size=0)(x))
tell("reshape", lambda: vmap(lambda a: a.reshape(5))(x))
tell("broadcast", lambda: vmap(lambda a: a + torch.zeros(3))(x))
tell("mm", lambda: vmap(lambda a: torch.mm(a, a))(x))
tell("requires_grad_", lambda: vmap(lambda a: a.requires_grad_())(x))
tell("batch norm", lambda: vmap(torch.nn.BatchNorm1d(4))(torch.ones(2, 3, 4)))

kept = []
vmap(lambda a: kept.append(a) or a)(x)
tell("escaped", lambda: kept[0] + 1)
print(kept[0])
