"""``torch.fx.experimental.proxy_tensor``: graphs of the operators that a function calls (``make_fx``).

A function runs once, on the tensors that are given, within a mode that sees every operator (``torch.utils._python_dispatch``). What
depends on the arguments becomes a node; other tensors become constants of the module. Runs backwards are seen too, by the operators
that Rushlight's gradients are made of.
"""

from ... import _rushlight
from ...overrides import TorchFunctionMode
from ...utils._python_dispatch import TorchDispatchMode
from ...utils._pytree import tree_flatten, tree_map, tree_unflatten
from ..graph import Graph
from ..graph_module import GraphModule

__all__ = ["make_fx", "get_proxy_mode"]

Tensor = _rushlight.Tensor
_running = []


def get_proxy_mode():
    """The recording that is going on; None where there is none."""
    return _running[-1] if _running else None


def _layout(tensor):
    return tensor.dtype, tuple(tensor.shape), tuple(tensor.stride()), tensor.storage_offset()


# Methods that give what is no tensor, of elements: no operator that is recorded.
_VALUES = frozenset(("item", "tolist", "numpy", "__bool__", "__int__", "__float__", "__complex__", "__index__", "__contains__", "__array__"))


class _NoValues(TorchFunctionMode):
    """Refuses what reads elements of tensors that are being recorded."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        if getattr(func, "__name__", "") in _VALUES:
            raise RuntimeError(
                "It appears that you're trying to get value out of a tracing tensor with aten._local_scalar_dense.default - erroring "
                "out! It's likely that this is caused by data-dependent control flow or similar."
            )
        return func(*args, **(kwargs or {}))


class _Recording(TorchDispatchMode):
    """Writes every operator down as a node of a graph."""

    def __init__(self):
        super().__init__()
        self.graph, self.root = Graph(), {}
        # By the object of a tensor: its node. The tensors are kept, so that no other gets their place.
        self._nodes, self._kept = {}, []

    def remember(self, tensor, node):
        """A tensor is the value of a node from here on."""
        self._nodes[id(tensor)] = node
        self._kept.append(tensor)

    def node_of(self, value):
        """The node of a tensor: a constant of the module where no node gave it. Other values stay."""
        if not isinstance(value, Tensor):
            return value
        if id(value) not in self._nodes and not self._is_alias(value):
            name = f"_tensor_constant{len(self.root)}"
            self.root[name] = value.detach()
            self.remember(value, self.graph.create_node("get_attr", name, (), {}))
        return self._nodes[id(value)]

    def _is_alias(self, tensor):
        """Whether a tensor is a known one under another object, as `detach` makes them without being seen."""
        place, *_ = _rushlight.storage_of(tensor)
        same = [known for known in self._kept if tensor.numel() and _rushlight.storage_of(known)[0] == place]
        for known in same:
            if _layout(known) == _layout(tensor):
                self.remember(tensor, self._nodes[id(known)])
                return True
        if same:
            raise NotImplementedError("make_fx: a view of a recorded tensor was made by a function that is not recorded")
        return False

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        given = tree_map(self.node_of, (args, kwargs))
        result = func(*args, **kwargs)
        node = self.graph.create_node("call_function", func, *given, name=_short(func))
        if isinstance(result, Tensor):
            self.remember(result, node)
        elif isinstance(result, (tuple, list)):
            import operator

            for i, part in enumerate(result):
                if isinstance(part, Tensor):
                    self.remember(part, self.graph.create_node("call_function", operator.getitem, (node, i), {}))
        return result


def _short(func):
    """What nodes of an operator are called."""
    return func._schema.name.split("::")[1]


def make_fx(f, decomposition_table=None, tracing_mode="real", _allow_non_fake_inputs=False, *, pre_dispatch=False, record_module_stack=False,
            **others):  # fmt: skip
    """A function that runs ``f`` once on arguments and gives a module with the graph of all operators that were called.

    Raises:
        NotImplementedError: where operators are to be made of others, or recorded on tensors without elements.
    """
    if decomposition_table:
        raise NotImplementedError("make_fx: a decomposition_table is not used here: operators are recorded as they are called")
    if tracing_mode != "real":
        raise NotImplementedError(f"make_fx: tracing_mode={tracing_mode!r}: a function is recorded on the tensors themselves ('real')")

    def wrapped(*args):
        recording = _Recording()
        flat, spec = tree_flatten(args)
        names = _names_of(f, args, spec)
        plain = []
        for i, value in enumerate(flat):
            node = recording.graph.create_node("placeholder", f"{names[i]}_1", (), {}, name=f"{names[i]}_1")
            if isinstance(value, Tensor):
                # An object of its own for each argument.
                value = value.detach().requires_grad_(value.requires_grad)
                recording.remember(value, node)
            plain.append(value)
        _running.append(recording)
        try:
            with _NoValues(), recording:
                result = f(*tree_unflatten(plain, spec))
        finally:
            _running.pop()
        recording.graph.output(tree_map(recording.node_of, result))
        return GraphModule(recording.root, recording.graph, "<lambda>" if getattr(f, "__name__", "") == "<lambda>" else "GraphModule")

    return wrapped


def _names_of(f, args, spec):
    """The names of the flat arguments: those of the function's where each is one tensor."""
    import inspect

    count = spec.num_leaves
    if count != len(args):
        raise NotImplementedError("make_fx: arguments are tensors and numbers, not lists or dictionaries of them")
    try:
        parameters = list(inspect.signature(f).parameters.values())
    except (TypeError, ValueError):
        return [f"arg{i}" for i in range(count)]
    named = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return [named[i] if i < len(named) else f"arg{i}" for i in range(count)]
