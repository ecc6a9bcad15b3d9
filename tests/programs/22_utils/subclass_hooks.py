# Classes and modes that stand between a program and functions, and between functions and operators.
import collections
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.utils._pytree as pytree
from torch.overrides import (TorchFunctionMode, get_overridable_functions, handle_torch_function, has_torch_function, is_tensor_like,
                             resolve_name)
from torch.utils._python_dispatch import TorchDispatchMode

torch.set_printoptions(precision=4)
torch.manual_seed(91)


def err(name, fn):
    try:
        r = fn()
        print(f"{name}: no error -> {type(r).__name__}")
    except Exception as e:
        print(f"{name}: {type(e).__name__}: {(str(e).splitlines() or [''])[0][:160]}")


print("== __torch_function__ subclass")


class Tagged(torch.Tensor):
    @staticmethod
    def __new__(cls, data, tag="none"):
        return torch.as_tensor(data, dtype=torch.float32).as_subclass(cls)

    def __init__(self, data, tag="none"):
        self.tag = tag

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        out = super().__torch_function__(func, types, args, kwargs)
        tags = [a.tag for a in pytree.tree_leaves(args) if isinstance(a, Tagged) and hasattr(a, "tag")]
        for o in pytree.tree_leaves(out):
            if isinstance(o, Tagged):
                o.tag = "+".join(dict.fromkeys(tags)) + "|" + getattr(func, "__name__", "?")
        return out


a, b = Tagged([1.0, 2.0], "a"), Tagged([3.0, 4.0], "b")
c = a + b
print(type(c).__name__, c.tag, c, type(c.sum()).__name__, c.sum().tag, (a * 2).tag, torch.stack([a, b]).tag, type(a.shape).__name__, type(a[0]).__name__, a[0].tag)
print(type(a + torch.ones(2)).__name__, type(torch.ones(2) + a).__name__, type(a.max(0)).__name__, a.max(0).values.tag, type(a.numpy()).__name__, type(a.as_subclass(torch.Tensor)).__name__, isinstance(a, torch.Tensor), type(a.detach()).__name__)
print(type(torch.zeros_like(a)).__name__, type(F.relu(a)).__name__, F.relu(a).tag, type(a.split(1)[0]).__name__, type(nn.Parameter(a)).__name__, isinstance(nn.Parameter(a), nn.Parameter))
g = Tagged([1.0, 2.0], "g").requires_grad_()
(g * g).sum().backward()
print(type(g.grad).__name__, g.grad)
with torch._C.DisableTorchFunctionSubclass():
    print(type(a + b).__name__)


class Strict(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func is torch.Tensor.add or func is torch.add:
            return NotImplemented
        return super().__torch_function__(func, types, args, kwargs)


st = torch.ones(2).as_subclass(Strict)
err("NotImplemented", lambda: torch.add(st, st))
print((st * 3).as_subclass(torch.Tensor))

print("== duck-typed container")
HANDLED = {}


def implements(f):
    def deco(fn):
        HANDLED[f] = fn
        return fn
    return deco


class Diag:
    def __init__(self, n, v):
        self.n, self.v = n, v

    def __repr__(self):
        return f"Diag(n={self.n}, v={self.v})"

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func not in HANDLED or not all(issubclass(t, (torch.Tensor, Diag)) for t in types):
            return NotImplemented
        return HANDLED[func](*args, **(kwargs or {}))


@implements(torch.mean)
def _mean(d):
    return d.v / d.n


@implements(torch.add)
def _add(x, y):
    return Diag(x.n, x.v + y.v) if isinstance(x, Diag) and isinstance(y, Diag) else "mixed"


@implements(F.relu)
def _relu(d, inplace=False):
    return Diag(d.n, max(d.v, 0))


d = Diag(3, -2.0)
print(torch.mean(d), torch.add(d, d), torch.add(torch.ones(1), d), F.relu(d), has_torch_function((d,)), is_tensor_like(d))
err("unhandled", lambda: torch.sum(d))


def my_op(x):
    if has_torch_function((x,)):
        return handle_torch_function(my_op, (x,), x)
    return "plain"


err("my_op", lambda: my_op(d))
HANDLED[my_op] = lambda x: "handled"
print(my_op(d), my_op(torch.ones(1)), resolve_name(torch.add), resolve_name(torch.Tensor.add), resolve_name(F.relu), len(get_overridable_functions()) > 3)

print("== modes")


class LogFn(TorchFunctionMode):
    def __init__(self):
        self.names = []

    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.names.append(getattr(func, "__name__", str(func)))
        return func(*args, **(kwargs or {}))


with LogFn() as lf:
    x = torch.ones(2, 2)
    y = x.T @ x + 1
    F.softmax(y, dim=0)[0].sum().item()
    x.shape
print(lf.names)


class LogOp(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.ops = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        self.ops.append((str(func), func.overloadpacket.__name__))
        return out


lin = nn.Linear(3, 2)
with LogOp() as lo:
    F.cross_entropy(torch.relu(lin(torch.ones(4, 3))), torch.tensor([0, 1, 0, 1])).backward()
print([o for o, n in lo.ops if n not in ("detach", "lift_fresh", "t")])
with LogOp() as lo, torch.no_grad():
    t = torch.zeros(3)
    t[1:] = 5
    t.mul_(2).view(3, 1).squeeze().std()
print(lo.ops)

print("== wrapper subclass with __torch_dispatch__")


class Quant(torch.Tensor):
    @staticmethod
    def __new__(cls, q, scale):
        return torch.Tensor._make_wrapper_subclass(cls, q.shape, dtype=torch.float32, device=q.device)

    def __init__(self, q, scale):
        self.q, self.scale = q, scale

    def __repr__(self):
        return f"Quant({self.q.tolist()}, scale={self.scale})"

    def __tensor_flatten__(self):
        return ["q"], self.scale

    @staticmethod
    def __tensor_unflatten__(inner, scale, size, stride):
        return Quant(inner["q"], scale)

    @classmethod
    def make(cls, t, scale=0.1):
        return cls((t / scale).round().to(torch.int8), scale)

    @classmethod
    def __torch_dispatch__(cls, func, types, args, kwargs=None):
        if func is torch.ops.aten.detach.default:
            return cls(args[0].q, args[0].scale)
        if func is torch.ops.aten.neg.default:
            return cls(-args[0].q, args[0].scale)
        un = lambda t: t.q.float() * t.scale if isinstance(t, Quant) else t
        return func(*pytree.tree_map(un, args), **pytree.tree_map(un, kwargs or {}))


q = Quant.make(torch.tensor([0.12, -0.58, 1.0]))
print(q, -q, q + 1, (q * q).sum(), q.shape, q.dtype, torch.equal(q + 0, torch.tensor([0.1, -0.6, 1.0])) or (q + 0), isinstance(q, torch.Tensor), q.stride())
print(torch.stack([q + 0, torch.ones(3)]), q.detach(), q.__tensor_flatten__(), F.linear(torch.ones(1, 3), (q + 0).unsqueeze(0)))

print("== pytree")
Pt = collections.namedtuple("Pt", "x y")
tree = {"a": [torch.ones(1), 2], "b": Pt(3, (None, 4)), "c": collections.OrderedDict(z=5)}
leaves, spec = pytree.tree_flatten(tree)
print(leaves, spec.num_leaves, pytree.tree_map(lambda v: v * 2 if v is not None else v, tree), pytree.tree_unflatten(list("abcdef"), spec), pytree.tree_all(lambda v: v is None or v >= 1, tree), pytree.tree_map_only(int, lambda v: -v, tree)["b"])
