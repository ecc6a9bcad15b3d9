"""``torch.fx.graph``: nodes in order, and the function that they make."""

import contextlib
import copy
import warnings

from . import _targets
from ._codegen import CodeGen, PythonCode, _BoxedCodeGen, _PyTreeCodeGen, _PyTreeInfo  # noqa: F401
from ._codegen import _format_target, inplace_methods, magic_methods  # noqa: F401
from ._annotated import dtype_abbrs  # noqa: F401
from ._namespace import (  # noqa: F401
    _custom_builtins, _CustomBuiltin, _is_magic, _Namespace, _register_custom_builtin, _snake_case,
)
from ._table import table
from .node import Node, _legal_ops, map_arg

__all__ = ["PythonCode", "CodeGen", "Graph"]

_ONE_WAY = ("eq", "ne", "lt", "gt", "le", "ge", "pos", "neg", "invert")
reflectable_magic_methods = {name: text for name, text in magic_methods.items() if name not in _ONE_WAY}


class _node_list:
    """The nodes of a graph in their order; it may change while somebody goes through them."""

    def __init__(self, graph, direction="_next"):
        assert direction in ("_next", "_prev")
        self.graph = graph
        self.direction = direction

    def __len__(self):
        return self.graph._len

    def __iter__(self):
        root, direction = self.graph._root, self.direction
        node = getattr(root, direction)
        while node is not root:
            if not node._erased:
                yield node
            node = getattr(node, direction)

    def __reversed__(self):
        return _node_list(self.graph, "_prev" if self.direction == "_next" else "_next")


class _InsertPoint:
    """Puts new nodes elsewhere until it is left."""

    def __init__(self, graph, new_insert):
        self.graph = graph
        self.orig_insert, graph._insert = graph._insert, new_insert

    def __enter__(self):
        pass

    def __exit__(self, kind, value, trace):
        self.graph._insert = self.orig_insert


class Graph:
    """Nodes in order. Methods make nodes where the graph inserts: at the end, or where ``inserting_before`` and
    ``inserting_after`` say."""

    def __init__(self, owning_module=None, tracer_cls=None, tracer_extras=None):
        self._root = Node(self, "", "root", "", (), {})
        self._used_names = {}
        self._insert = self._root.prepend
        self._len = 0
        self._graph_namespace = _Namespace()
        self._owning_module = owning_module
        self._tracer_cls = tracer_cls
        self._tracer_extras = tracer_extras
        self._codegen = CodeGen()
        self._co_fields = {}
        # The place of each node, counted when somebody asks.
        self._places = None

    @property
    def owning_module(self):
        """The module whose function this is, if there is one."""
        return self._owning_module

    @owning_module.setter
    def owning_module(self, module):
        self._owning_module = module

    @property
    def nodes(self):
        """The nodes in their order; ``reversed`` goes backwards."""
        return _node_list(self)

    def _changed_order(self):
        self._places = None

    def _place(self, node):
        if self._places is None:
            self._places = {each: index for index, each in enumerate(self.nodes)}
        return self._places[node]

    def output_node(self):
        """The output, which is the last node."""
        node = next(iter(reversed(self.nodes)))
        assert node.op == "output", f"Expected output node, got op={node.op}"
        return node

    def find_nodes(self, *, op, target=None, sort=True):
        """The nodes of a kind, of calls those with a certain target, in their order."""
        if op == "call_function":
            assert target is not None, f"target must not be None for {op} op"
        by_target = target is not None and op not in ("placeholder", "output")
        return [node for node in self.nodes if node.op == op and (not by_target or node.target == target)]

    # Making nodes.

    def _target_to_str(self, target):
        if callable(target):
            name = _targets.called_name(target)
        else:
            assert isinstance(target, str), f"Expected target to be str, got {type(target)}"
            name = target[2:-2] if _is_magic(target) else target
        return _snake_case(name)

    def create_node(self, op, target, args=None, kwargs=None, name=None, type_expr=None):
        """A new node where the graph inserts.

        ``op`` is one of ``placeholder``, ``get_attr``, ``call_function``, ``call_method``, ``call_module`` and
        ``output``; ``name`` is a wish.
        """
        assert op in _legal_ops, f"op {op!r} is not in _legal_ops"
        args, kwargs = args or (), kwargs or {}
        assert isinstance(args, tuple), f"args must be a tuple, got {type(args)}"
        assert isinstance(kwargs, dict), f"kwargs must be a dict, got {type(kwargs)}"
        candidate = name if name is not None else self._target_to_str(target)
        name = self._graph_namespace.create_name(candidate, None)
        node = Node(self, name, op, target, args, kwargs, type_expr)
        for hook in getattr(self.owning_module, "_create_node_hooks", None) or ():
            hook(node)
        self._graph_namespace.associate_name_with_obj(name, node)
        self._insert(node)
        self._len += 1
        self._changed_order()
        return node

    _no_default = object()

    def placeholder(self, name, type_expr=None, default_value=_no_default):
        """An argument of the function; ``*name`` and ``**name`` are what is left over."""
        args = () if default_value is Graph._no_default else (default_value,)
        return self.create_node("placeholder", name, args=args, type_expr=type_expr)

    def get_attr(self, qualified_name, type_expr=None):
        """An attribute of the module, by its dotted name."""
        if self.owning_module is not None and not self._is_attribute(self.owning_module, qualified_name):
            warnings.warn(
                "Attempted to insert a get_attr Node with no underlying reference in the owning GraphModule! Call "
                "GraphModule.add_submodule to add the necessary submodule, GraphModule.add_parameter to add the necessary "
                "Parameter, or nn.Module.register_buffer to add the necessary buffer",
                stacklevel=2,
            )
        return self.create_node("get_attr", qualified_name, type_expr=type_expr)

    @staticmethod
    def _is_attribute(module, path):
        prefix, _, name = path.rpartition(".")
        try:
            holder = module.get_submodule(prefix)
        except AttributeError:
            warnings.warn(f"Failed to fetch module {prefix}!", stacklevel=3)
            return False
        if not hasattr(holder, name):
            return False
        held = getattr(holder, name)
        from .. import nn

        return isinstance(held, (nn.Module, nn.Parameter)) or name in holder._buffers

    def call_module(self, module_name, args=None, kwargs=None, type_expr=None):
        """A call of a submodule, by its dotted name."""
        if self.owning_module is not None and self.owning_module.get_submodule(module_name) is None:
            warnings.warn(
                "Attempted to insert a call_module Node with no underlying reference in the owning GraphModule! Call "
                "GraphModule.add_submodule to add the necessary submodule",
                stacklevel=2,
            )
        return self.create_node("call_module", module_name, args, kwargs, type_expr=type_expr)

    def call_method(self, method_name, args=None, kwargs=None, type_expr=None):
        """A call of a method of the first argument."""
        return self.create_node("call_method", method_name, args, kwargs, type_expr=type_expr)

    def call_function(self, the_function, args=None, kwargs=None, type_expr=None, name=None):
        """A call of a function."""
        return self.create_node("call_function", the_function, args, kwargs, name=name, type_expr=type_expr)

    def output(self, result, type_expr=None):
        """What the function returns: nodes in any nesting."""
        return self.create_node(op="output", target="output", args=(result,), type_expr=type_expr)

    def node_copy(self, node, arg_transform=lambda node: node):
        """A copy of a node of another graph; ``arg_transform`` says what stands for each of its arguments here."""
        args = map_arg(node.args, arg_transform)
        kwargs = map_arg(node.kwargs, arg_transform)
        assert isinstance(args, tuple)
        assert isinstance(kwargs, dict)
        made = self.create_node(node.op, node.target, args, kwargs, node.name, node.type)
        made.meta = copy.copy(node.meta)
        return made

    def graph_copy(self, g, val_map, return_output_node=False):
        """Copies the nodes of another graph; returns what its output gives, in nodes of this one.

        ``val_map`` says which node here stands for one there; those that are in it already are not copied. With
        ``return_output_node`` the result comes with the other graph's output, and with None where that has none.
        """
        for node in g.nodes:
            if node in val_map:
                continue
            if node.op == "output":
                result = map_arg(node.args[0], lambda used: val_map[used])
                return (result, node) if return_output_node else result
            val_map[node] = self.node_copy(node, lambda used: val_map[used])
        return None

    def __deepcopy__(self, memo=None):
        memo = {} if memo is None else memo
        made = Graph(tracer_cls=self._tracer_cls)
        nodes = {}
        copied = made.graph_copy(self, val_map=nodes, return_output_node=True)
        made._codegen = copy.deepcopy(self._codegen)
        made._co_fields = dict(self._co_fields)
        memo[id(self)] = made
        memo.update((id(old), new) for old, new in nodes.items())
        if copied is not None:
            result, old = copied
            output = made.output(result, type_expr=getattr(old, "type", None))
            output.meta = copy.copy(old.meta)
            memo[id(old)] = output
        return made

    # Changing.

    def erase_node(self, to_erase):
        """Takes a node out; nobody may use it any more."""
        if to_erase.users:
            raise RuntimeError(
                f"Tried to erase Node {to_erase} but it still had {len(to_erase.users)} users in the graph: "
                f"{to_erase.users}!"
            )
        if to_erase.graph != self:
            raise RuntimeError(f"Attempting to remove {to_erase} from wrong graph!")
        if to_erase._erased:
            warnings.warn(f"erase_node({to_erase}) on an already erased node", stacklevel=2)
            return
        for hook in getattr(self.owning_module, "_erase_node_hooks", None) or ():
            hook(to_erase)
        before, after = to_erase._prev, to_erase._next
        # Whoever stands on the node still finds the way on.
        before._next, after._prev = after, before
        to_erase._erased = True
        self._len -= 1
        self._changed_order()
        to_erase.args, to_erase.kwargs = (), {}

    def inserting_before(self, n=None):
        """Until the ``with`` block ends, new nodes stand before a node, or at the beginning of the graph."""
        if n is None:
            return self.inserting_after(self._root)
        assert n.graph == self, "Node to insert before is not in graph."
        return _InsertPoint(self, n.prepend)

    def inserting_after(self, n=None):
        """Until the ``with`` block ends, new nodes stand right after a node, or at the end of the graph."""
        if n is None:
            return self.inserting_before(self._root)
        assert n.graph == self, "Node to insert after is not in graph."
        return _InsertPoint(self, n.append)

    def eliminate_dead_code(self, is_impure_node=None):
        """Takes out nodes that nobody uses and that have no other effect; returns whether there were any."""
        self.lint()
        impure = is_impure_node or (lambda node: node.is_impure())
        changed = False
        for node in reversed(self.nodes):
            if not impure(node) and not node.users:
                self.erase_node(node)
                changed = True
        return changed

    def _clear_nodes(self):
        for node in reversed(self.nodes):
            node.users = {}
            self.erase_node(node)

    # Checking.

    def lint(self):
        """Checks that the graph is one: nodes belong to it, are defined before they are used, and name what there is.

        Raises ``RuntimeError`` and the like with what is wrong.
        """
        seen, names = set(), set()

        def check(used, node):
            if used.graph is not self:
                raise RuntimeError(
                    f"Argument '{used}' of Node '{node}' does not belong to this Graph, but was used as an argument! If you "
                    "are copying nodes from another graph, make sure to use ``arg_transform`` on node_copy() to remap "
                    f"values\n{self}"
                )
            if used not in seen:
                raise RuntimeError(
                    f"Argument '{used}' of Node '{node}' was used before it has been defined! Please check that Nodes in "
                    f"the graph are topologically ordered\n{self}"
                )

        for node in self.nodes:
            if node.op not in _legal_ops or node.op == "root":
                raise RuntimeError(f"Node {node} had unknown opcode {node.op}!")
            if node.graph is not self:
                raise RuntimeError(f"Node '{node}' does not belong to this Graph!")
            if node not in self._graph_namespace._obj_to_name:
                raise RuntimeError(f"Node {node} is not registered with the graph's namespace!")
            for used in node._input_nodes:
                check(used, node)
            seen.add(node)
            if node.name in names:
                raise RuntimeError(f"Node redefined name {node.name}!")
            names.add(node.name)
        if self.owning_module is not None:
            for node in self.nodes:
                self._check_target(node)

    def _check_target(self, node):
        """Checks that what a node calls or reads is there."""
        from .. import nn
        from .._rushlight import Tensor

        if node.op == "call_function" and not callable(node.target):
            raise RuntimeError(f"Node {node} target {node.target} has type {type(node.target)} but a Callable is expected")
        if node.op != "call_function" and not isinstance(node.target, str):
            raise RuntimeError(f"Node {node} target {node.target} has type {type(node.target)} but a str is expected")
        if node.op not in ("get_attr", "call_module"):
            return
        held = self.owning_module
        parts = node.target.split(".")
        for index, part in enumerate(parts):
            inner = getattr(held, part, None) if hasattr(held, part) else None
            if not hasattr(held, part):
                raise RuntimeError(
                    f"Node {node} target {node.target} references nonexistent attribute {part} of "
                    f"{'.'.join(parts[:index])}"
                )
            if node.op == "call_module" and not isinstance(inner, nn.Module):
                raise RuntimeError(
                    f"Node {node} target {node.target} {part} of {'.'.join(parts[:index])} does not reference an nn.Module"
                )
            if (
                node.op == "get_attr" and not isinstance(inner, (nn.Module, Tensor))
                and part not in getattr(held, "_buffers", ())
            ):
                warnings.warn(
                    f"Node {node} target {node.target} {part} of {'.'.join(parts[:index])} does not reference an "
                    "nn.Module, nn.Parameter, or buffer, which is what 'get_attr' Nodes typically target",
                    stacklevel=3,
                )
            held = inner

    # From and to code.

    def process_inputs(self, *args):
        """Arguments of the function as its placeholders take them."""
        return self._codegen.process_inputs(*args)

    def process_outputs(self, out):
        """What the output gives, as the function returns it."""
        return self._codegen.process_outputs(out)

    def set_codegen(self, codegen):
        """Says how the graph becomes a function."""
        self._codegen = codegen

    def on_generate_code(self, make_transformer):
        """Changes generated bodies: ``make_transformer`` gets the transformer there is, or None, and gives the new one.

        A transformer takes and returns the lines of a body. Where the result is used as a context manager, the old one
        holds again at its end.
        """
        before = self._codegen._body_transformer
        self._codegen._body_transformer = make_transformer(before)

        @contextlib.contextmanager
        def until_the_end():
            try:
                yield
            finally:
                self._codegen._body_transformer = before

        return until_the_end()

    def python_code(
        self, root_module, *, verbose=False, include_stride=False, include_device=False, colored=False, expanded_def=False,
        record_func=False, additional_meta=None,
    ):
        """The graph as a function: its text, and the objects that names in it stand for.

        ``root_module`` is how the text calls the module.
        """
        return self._codegen._gen_python_code(
            self.nodes, root_module, _Namespace(), verbose=verbose, include_stride=include_stride,
            include_device=include_device, colored=colored, expanded_def=expanded_def, record_func=record_func,
            additional_meta=additional_meta,
        )

    def __str__(self):
        return "\n    ".join(["graph():", *(node.format_node() for node in self.nodes)])

    def print_tabular(self):
        """Prints the nodes as a table."""
        rows = [[n.op, n.name, n.target, n.args, n.kwargs] for n in self.nodes]
        print(table(["opcode", "name", "target", "args", "kwargs"], rows))
