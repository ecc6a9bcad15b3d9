"""``torch.fx.node``: one step of a graph, its arguments and who uses it."""

import types
import typing

from .. import _rushlight
from . import _targets
from ._aggregate import map_aggregate, map_arg  # noqa: F401
from ._aggregate import map_nodes
from ._annotated import typed_text
from ._purity import has_side_effect, is_impure, _side_effectful_functions  # noqa: F401
from ._targets import qualified_name as _get_qualified_name  # noqa: F401

__all__ = ["Node", "map_arg", "map_aggregate", "has_side_effect"]

_legal_ops = dict.fromkeys(["placeholder", "call_method", "call_module", "call_function", "get_attr", "output", "root"])
BaseArgumentTypes = typing.Union[str, int, float, bool, complex, None]
base_types = (
    str, int, float, bool, complex, _rushlight.dtype, _rushlight.Tensor, _rushlight.device,
    _rushlight.Code, type(None), type(...),
)
Target = typing.Union[typing.Callable[..., typing.Any], str]
Argument = typing.Any


def _type_repr(obj):
    """A type as annotations write it."""
    if isinstance(obj, type) and not isinstance(obj, types.GenericAlias):
        if obj.__module__ == "builtins":
            return obj.__qualname__
        return f"{_targets.module_of(obj)}.{obj.__qualname__}"
    if obj is ...:
        return "..."
    if isinstance(obj, types.FunctionType):
        return obj.__name__
    return repr(obj)


def _format_arg(arg, max_list_len=float("inf")):
    """An argument as graphs print it: nodes with a percent sign, text without quotes."""
    custom = getattr(arg, "_custom_fx_repr_fn", None)
    if custom is not None and not isinstance(arg, Node):
        return custom()
    if isinstance(arg, (list, tuple)):
        shown = [_format_arg(item) for index, item in enumerate(arg) if index < max_list_len]
        if len(arg) > max_list_len:
            shown.append(f"...[total_len={len(arg)}]")
        if isinstance(arg, list):
            return "[" + ", ".join(shown) + "]"
        return "(" + ", ".join(shown) + (",)" if len(arg) == 1 else ")")
    if isinstance(arg, dict):
        return "{" + ", ".join(f"{key}: {_format_arg(value)}" for key, value in arg.items()) + "}"
    if isinstance(arg, Node):
        return "%" + str(arg)
    return str(arg)


class Node:
    """One step of a graph.

    ``op`` says what it does: ``placeholder`` takes in an argument, ``get_attr`` reads an attribute of the module,
    ``call_function``, ``call_method`` and ``call_module`` call what ``target`` names, ``output`` gives the result.
    ``args`` and ``kwargs`` may hold other nodes in nested containers; ``users`` are the nodes that hold this one,
    ``meta`` is a dictionary for whoever works on the graph.
    """

    def __init__(self, graph, name, op, target, args, kwargs, return_type=None):
        assert op in _legal_ops, f"op {op!r} is not in _legal_ops"
        if op == "call_function":
            if not callable(target):
                raise ValueError(self._wrong_target(graph, name, target, "a Callable"))
        elif not isinstance(target, str):
            raise ValueError(self._wrong_target(graph, name, target, "a str"))
        state = self.__dict__
        state["graph"] = graph
        state["name"] = name
        state["op"] = op
        state["target"] = target
        state["_input_nodes"] = {}
        state["users"] = {}
        state["type"] = return_type
        state["meta"] = {}
        state["_repr_fn"] = None
        state["_prev"] = state["_next"] = self
        state["_erased"] = False
        state["_args"], state["_kwargs"] = (), {}
        self._set_arguments(args, kwargs)

    @staticmethod
    def _wrong_target(graph, name, target, wanted):
        from .._functions import typename

        return (
            f"Node [graph = {graph}, name = '{name}'] target {target} has type {typename(target)} but {wanted} is expected"
        )

    # The order of nodes: a ring through the graph's root.

    @property
    def next(self):
        """The node after this one."""
        return self._next

    @property
    def prev(self):
        """The node before this one."""
        return self._prev

    def prepend(self, x):
        """Puts a node of the same graph before this one."""
        assert self.graph == x.graph, "Attempting to move a Node into a different Graph"
        if self is x:
            return
        x._remove_from_list()
        before = self._prev
        before._next, x._prev = x, before
        x._next, self._prev = self, x
        self.graph._changed_order()

    def append(self, x):
        """Puts a node of the same graph after this one."""
        if self is x:
            return
        self._next.prepend(x) if self._next is not x else None

    def _remove_from_list(self):
        before, after = self._prev, self._next
        before._next, after._prev = after, before
        self._prev = self._next = self

    # Arguments and users.

    def _set_arguments(self, args, kwargs):
        state = self.__dict__
        for used in self._input_nodes:
            used.users.pop(self, None)
        state["_input_nodes"] = inputs = {}

        def use(node):
            inputs.setdefault(node)
            node.users.setdefault(self)
            return node

        state["_args"] = map_nodes(args, use)
        state["_kwargs"] = map_nodes(kwargs, use)

    @property
    def args(self):
        """The arguments by position; setting them keeps the users of other nodes right."""
        return self._args

    @args.setter
    def args(self, args):
        self._set_arguments(args, self._kwargs)

    @property
    def kwargs(self):
        """The arguments by name; setting them keeps the users of other nodes right."""
        return self._kwargs

    @kwargs.setter
    def kwargs(self, kwargs):
        self._set_arguments(self._args, kwargs)

    @property
    def all_input_nodes(self):
        """The nodes among the arguments, each once."""
        return list(self._input_nodes)

    def update_arg(self, idx, arg):
        """Replaces an argument by position."""
        args = list(self.args)
        args[idx] = arg
        self.args = tuple(args)

    def insert_arg(self, idx, arg):
        """Puts in an argument before a position."""
        assert 0 <= idx <= len(self.args), "insert_args index must be between 0 and len(self.args)"
        self.args = (*self.args[:idx], arg, *self.args[idx:])

    def update_kwarg(self, key, arg):
        """Replaces or adds an argument by name."""
        self.kwargs = {**self.kwargs, key: arg}

    @property
    def stack_trace(self):
        """Where the program was when the node was recorded, if that was kept."""
        return self.meta.get("stack_trace", None)

    @stack_trace.setter
    def stack_trace(self, trace):
        self.meta["stack_trace"] = trace

    def replace_all_uses_with(self, replace_with, delete_user_cb=lambda user: True, *, propagate_meta=False):
        """Puts another node wherever this one is used; returns the nodes that were changed.

        ``delete_user_cb`` may spare users; with ``propagate_meta`` the other node, which must have none, takes over ``meta``.
        """
        if propagate_meta:
            assert len(replace_with.meta) == 0, (
                "Called node.replace_all_uses_with(replace_with, propagate_meta=True), but replace_with already has .meta keys"
            )
            replace_with.meta.update(self.meta)
        changed = []
        for user in list(self.users):
            if not delete_user_cb(user):
                continue
            user._replace_input(self, replace_with)
            changed.append(user)
        return changed

    def replace_input_with(self, old_input, new_input):
        """Puts another node in the place of one argument."""
        self._replace_input(old_input, new_input)

    def _replace_input(self, old, new):
        module = self.graph.owning_module
        for hook in getattr(module, "_replace_hooks", None) or ():
            hook(old=old, new=new.name if isinstance(new, Node) else new, user=self)

        def other(node):
            return new if node is old else node

        self._set_arguments(map_nodes(self._args, other), map_nodes(self._kwargs, other))

    def _rename(self, candidate):
        if candidate == self.name:
            return
        self.name = self.graph._graph_namespace.create_name(candidate, None)

    def __setattr__(self, name, value):
        state = self.__dict__
        if name == "name" and "name" in state:
            module = self.graph.owning_module
            for hook in getattr(module, "_replace_hooks", None) or ():
                for user in self.users:
                    hook(old=self, new=value, user=user)
        changes_table = name in ("op", "target") and name in state and not self._erased
        object.__setattr__(self, name, value)
        if changes_table:
            self.graph._changed_order()

    def is_impure(self, impure_random=True):
        """Whether the node has effects besides its result, so that it stays where nobody uses it."""
        return is_impure(self, impure_random)

    def normalized_arguments(self, root, arg_types=None, kwarg_types=None, normalize_to_only_use_kwargs=False):
        """The arguments as the called function's signature has them; None where that is not known.

        ``root`` is the module whose submodules the graph calls.
        """
        from .operator_schemas import normalize_function, normalize_module

        if self.op == "call_function":
            return normalize_function(
                self.target, self.args, self.kwargs, arg_types, kwarg_types,
                normalize_to_only_use_kwargs=normalize_to_only_use_kwargs,
            )
        if self.op == "call_module":
            return normalize_module(
                root, self.target, self.args, self.kwargs, normalize_to_only_use_kwargs=normalize_to_only_use_kwargs
            )
        return None

    # Printing.

    def __repr__(self):
        return self._repr_fn(self) if self._repr_fn else self.name

    @staticmethod
    def _pretty_print_target(target):
        return _targets.shown(target)

    def format_node(self, placeholder_names=None, maybe_return_typename=None, *, include_tensor_metadata=False):
        """The node as graphs print it.

        With ``placeholder_names``, a list, placeholders are added to it and give None; the type of the output is
        added to ``maybe_return_typename``.
        """
        type_text = f"{_type_repr(self.type)} " if self.type else ""
        head = f"%{self.name} : {type_text}[num_users={len(self.users)}] = {self.op}"
        if self.op == "placeholder":
            assert isinstance(self.target, str)
            if placeholder_names:
                placeholder_names.append(self.target + (f": {_type_repr(self.type)}" if self.type else ""))
                return None
            default = f"(default={self.args[0]})" if self.args else ""
            return f"{head}[target={self.target}]{default}"
        if self.op == "get_attr":
            return f"{head}[target={self._pretty_print_target(self.target)}]"
        if self.op == "output":
            if self.type and maybe_return_typename:
                maybe_return_typename[0] = f" -> {_type_repr(self.type)}"
            return f"return {self.args[0]}"
        if include_tensor_metadata:
            known = typed_text(self.meta.get("val"), True, True)
            if known is not None:
                head = head.replace(": ", f': Tensor "{known}"', 1)
        return (
            f"{head}[target={self._pretty_print_target(self.target)}]"
            f"(args = {_format_arg(self.args)}, kwargs = {_format_arg(self.kwargs)})"
        )

    # Nodes are ordered by their place in the graph.

    def __lt__(self, other):
        return self.graph._place(self) < self.graph._place(other)

    def __gt__(self, other):
        return self.graph._place(self) > self.graph._place(other)

    def __le__(self, other):
        return self is other or self < other

    def __ge__(self, other):
        return self is other or self > other
