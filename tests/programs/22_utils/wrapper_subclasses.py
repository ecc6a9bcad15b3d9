# Tensors of a class around others: every operator is handed to the class, modes come before it, and what it cannot do it says.
import torch
import torch.utils._pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode, is_traceable_wrapper_subclass


def err(label, f):
    try:
        print(label, "ok", f())
    except Exception as e:
        print(label, type(e).__name__, str(e)[:300])


class Boxed(torch.Tensor):
    @staticmethod
    def __new__(cls, e):
        return torch.Tensor._make_wrapper_subclass(cls, e.shape, dtype=e.dtype, requires_grad=e.requires_grad)

    def __init__(self, e):
        self.e = e

    def __repr__(self):
        return f"Boxed({self.e})"

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        print("  ", func, [t.__name__ for t in types])
        un = lambda v: v.e if isinstance(v, Boxed) else v
        out = func(*pytree.tree_map(un, args), **pytree.tree_map(un, kwargs or {}))
        return pytree.tree_map(lambda v: Boxed(v) if isinstance(v, torch.Tensor) else v, out)


bx = Boxed(torch.tensor([[1., 2.], [3., 4.]]))
err("dev", lambda: (bx.device, bx.shape, bx.dtype, bx.is_meta, bx.is_cpu, bx.requires_grad, bx.stride(), bx.layout, bx.dim(), bx.numel(), bx.is_leaf))
for n, f in {"add": lambda: bx + 1, "radd": lambda: 1 + bx, "both": lambda: torch.ones(2, 2) + bx, "sum": lambda: bx.sum(), "cat": lambda: torch.cat([bx, torch.zeros(1, 2)]), "topk": lambda: bx.topk(1), "mm": lambda: bx @ bx, "t": lambda: bx.t(), "view": lambda: bx.view(-1), "relu": lambda: torch.nn.functional.relu(bx), "linear": lambda: torch.nn.functional.linear(bx, bx), "softmax": lambda: bx.softmax(-1), "detach": lambda: bx.detach(), "clone": lambda: bx.clone(), "getitem": lambda: bx[0], "slice": lambda: bx[0:1], "like": lambda: torch.ones_like(bx), "new": lambda: bx.new_zeros(2), "item": lambda: bx.sum().item(), "eq": lambda: torch.equal(bx, bx), "inplace": lambda: bx.add_(1), "mul_": lambda: bx.mul_(2) is bx, "to": lambda: bx.to(torch.float64), "float": lambda: bx.float() is bx, "split": lambda: bx.split(1), "max": lambda: bx.max(0), "len": lambda: len(bx), "isinst": lambda: isinstance(bx, torch.Tensor), "ln": lambda: torch.nn.functional.layer_norm(bx, (2,)), "stack": lambda: torch.stack([bx, bx]).shape, "tolist": lambda: bx.tolist(), "mean": lambda: bx.mean(), "bool": lambda: bool(bx.sum() > 1), "numpy": lambda: bx.numpy()}.items():
    err(n, f)


class Sees(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        print("  mode", func, [t.__name__ for t in types])
        return func(*args, **(kwargs or {}))


with Sees():
    print(bx * 2)


class Mute(torch.Tensor):
    @staticmethod
    def __new__(cls, size, **kwargs):
        return torch.Tensor._make_wrapper_subclass(cls, size, **kwargs)

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        return NotImplemented

    def __tensor_flatten__(self):
        return [], None

    @staticmethod
    def __tensor_unflatten__(inner, meta, size, stride):
        return Mute(size)


mute = Mute((2, 3), strides=(1, 2), dtype=torch.int64)
print(mute.shape, mute.stride(), mute.dtype, mute.device, is_traceable_wrapper_subclass(mute), is_traceable_wrapper_subclass(bx))
err("mute", lambda: mute + 1)


class None_(torch.Tensor):
    pass


err("nothing", lambda: torch.Tensor._make_wrapper_subclass(None_, (2,)))
del bx, mute
print(torch.ones(2) + 1)
