"""What a function computes from its tensors, recorded while it runs once, as a graph for a backend of ``torch.compile``."""

import operator

import rushlight as torch

from ..overrides import TorchFunctionMode
from ..utils import _pytree as pytree

Tensor = torch.Tensor

# Methods behind operators: how programs mostly write them.
_OPERATORS = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv, "matmul": operator.matmul, "gt": operator.gt,
    "lt": operator.lt, "ge": operator.ge, "le": operator.le, "eq": operator.eq, "ne": operator.ne, "floor_divide": operator.floordiv,
    "__getitem__": operator.getitem, "__setitem__": operator.setitem, "__mod__": operator.mod, "__and__": operator.and_,
    "__or__": operator.or_, "__xor__": operator.xor, "__pow__": operator.pow, "pow": operator.pow, "remainder": operator.mod,
}
_REVERSED = {
    "__rsub__": operator.sub, "__rtruediv__": operator.truediv, "__rdiv__": operator.truediv, "__rpow__": operator.pow,
    "__rfloordiv__": operator.floordiv, "__rmod__": operator.mod, "__rmatmul__": operator.matmul, "__radd__": operator.add,
    "__rmul__": operator.mul,
}
_UNARY = {"neg": operator.neg, "__invert__": operator.invert, "bitwise_not": operator.invert}
# What makes plain values of elements: what follows may depend on them.
_BREAKS = frozenset((
    "__bool__", "__int__", "__float__", "__index__", "__complex__", "__contains__", "item", "tolist", "numpy", "__array__", "equal",
    "allclose", "is_nonzero", "backward", "__set__", "__delete__", "data_ptr", "requires_grad_", "retain_grad", "register_hook", "set_",
    "share_memory_", "untyped_storage", "storage", "__reduce_ex__", "__deepcopy__", "__repr__", "__format__", "detach_", "manual_seed",
))  # fmt: skip


class Break(Exception):
    """Why a program cannot be one graph."""


class Recorder(TorchFunctionMode):
    """Builds a graph of the calls that are made; ``places`` has the node of each tensor, ``free(tensor)`` names others."""

    def __init__(self, free):
        super().__init__()
        self.graph = torch.fx.Graph()
        self.places = {}
        self.free = free
        self.kept = []
        self.calls = 0
        self.reason = None
        self.inputs = []

    def placeholder(self, tensor, name):
        """A tensor that the graph is given."""
        with self.graph.inserting_before(next(iter(self.graph.nodes))) if self.inputs else self.graph.inserting_after():
            node = self.graph.placeholder(name)
        if self.inputs:
            self.inputs[-1].append(node)
        node.meta["example_value"] = tensor
        self.inputs.append(node)
        self.places[id(tensor)] = node
        self.kept.append(tensor)
        return node

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        if self.reason is None:
            try:
                self._note(func, args, kwargs, result)
            except Break as reason:
                self.reason = str(reason)
        return result

    def _node(self, value):
        if not isinstance(value, Tensor):
            return value
        node = self.places.get(id(value))
        return self.free(value) if node is None else node

    def _note(self, func, args, kwargs, result):
        name = getattr(func, "__name__", "")
        if name in _BREAKS:
            raise Break("Data-dependent branching" if name in ("__bool__", "__index__") else f"a call of {name}")
        tensors = [t for t in pytree.tree_leaves(result) if isinstance(t, Tensor)]
        if not tensors and name != "__setitem__":
            return
        if name == "__get__":
            target, args = getattr, (args[0], func.__self__.__name__)
        elif name in _REVERSED:
            target, args = _REVERSED[name], (args[1], args[0])
        elif name in _OPERATORS and len(args) == 2 + (name == "__setitem__") and not kwargs and _is_method(func):
            target = _OPERATORS[name]
        elif name in _UNARY and _is_method(func):
            target = _UNARY[name]
        else:
            target = name if _is_method(func) else func
        mapped = pytree.tree_map(self._node, (tuple(args), dict(kwargs)))
        make = self.graph.call_method if isinstance(target, str) else self.graph.call_function
        node = make(target, *mapped)
        self.calls += 1
        self.kept.append(result)
        self._place(node, result)

    def _place(self, node, result):
        if isinstance(result, Tensor):
            node.meta["example_value"] = result
            self.places[id(result)] = node
        elif isinstance(result, (tuple, list)):
            for i, part in enumerate(result):
                if isinstance(part, (Tensor, tuple, list)):
                    self._place(self.graph.call_function(operator.getitem, (node, i)), part)


def _is_method(func):
    return isinstance(func, _METHODS)


_METHODS = tuple({type(Tensor.add), type(Tensor.size), type(Tensor.__getitem__), type(Tensor.__rsub__)})
