"""From a graph to the text of a Python function."""

import builtins
import cmath
import collections.abc
import dataclasses
import enum
import typing

from .. import _rushlight
from . import _targets
from ._aggregate import map_nodes
from ._annotated import Remarks
from ._namespace import _custom_builtins, _register_custom_builtin, _snake_case  # noqa: F401

__all__ = ["CodeGen", "PythonCode", "_PyTreeCodeGen", "_PyTreeInfo"]


@dataclasses.dataclass
class PythonCode:
    """The text of a function and the objects that its names stand for."""

    src: str
    globals: dict
    # The number of the node behind each line of the function's body, counted from the line after `def`.
    _lineno_map: typing.Optional[dict]
    _prologue_start: int = 0


# How calls of Python's operators are written.
magic_methods = {
    "eq": "{} == {}", "ne": "{} != {}", "lt": "{} < {}", "gt": "{} > {}", "le": "{} <= {}", "ge": "{} >= {}",
    "pos": "+{}", "neg": "-{}", "invert": "~{}", "add": "{} + {}", "sub": "{} - {}", "mul": "{} * {}",
    "floordiv": "{} // {}", "truediv": "{} / {}", "div": "{} / {}", "mod": "{} % {}", "pow": "{} ** {}", "lshift": "{} << {}",
    "rshift": "{} >> {}", "and_": "{} & {}", "or_": "{} | {}", "xor": "{} ^ {}", "getitem": "{}[{}]",
    "matmul": "{} @ {}",
}
inplace_methods = {
    "iadd": "{} += {}", "iand": "{} &= {}", "ifloordiv": "{} //= {}", "ilshift": "{} <<= {}", "imod": "{} %= {}",
    "imul": "{} *= {}", "imatmul": "{} @= {}", "ior": "{} |= {}", "ipow": "{} **= {}", "irshift": "{} >>= {}",
    "isub": "{} -= {}", "itruediv": "{} /= {}", "ixor": "{} ^= {}", "setitem": "{}[{}] = {}",
}


def _format_target(base, target):
    """The expression for a dotted name below another; parts that are no identifiers are asked for by ``getattr``."""
    for part in target.split("."):
        base = f"{base}.{part}" if part.isidentifier() else f'getattr({base}, "{part}")'
    return base


class _Writer:
    """The state of one function that is being written."""

    def __init__(self, nodes, root, namespace):
        self.nodes = list(nodes)
        self.root = root
        self.namespace = namespace
        self.globals = {}
        self.wrapped = {}
        self.free_vars = []
        self.body = []
        self.return_annotation = ""
        self.remarks = None
        for name, known in _custom_builtins.items():
            self.globals[name] = known.obj
        self.dying = self._last_uses()

    def _last_uses(self):
        """The nodes whose last use each node is, in the order in which their values are let go."""
        last, dying = {}, {}
        for user in reversed(self.nodes):
            def note(used, user=user):
                if used not in last:
                    last[used] = user
                    dying.setdefault(user, []).append(used)
                return used

            map_nodes(user.args, note)
            map_nodes(user.kwargs, note)
        return dying

    # Names.

    def name(self, node):
        return self.namespace.create_name(node.name, node)

    def add_global(self, hint, obj):
        """The expression that stands for an object."""
        if _targets.is_from_torch(obj) and obj is not _rushlight.device:
            return _targets.qualified_name(obj) if not isinstance(obj, type) else self._class_path(obj)
        if obj is _rushlight.device:
            hint = "device"
        name = hint if _is_own_name(hint, obj) else self.namespace.create_name(hint, _Identity(obj))
        self.globals.setdefault(name, obj)
        return name

    @staticmethod
    def _class_path(cls):
        return f"{_targets.module_of(cls)}.{cls.__qualname__}"

    def annotation(self, kind):
        """A type in an annotation."""
        if kind == ():
            return "()"
        from .node import _type_repr

        if isinstance(kind, list):
            return f"[{','.join(map(self.annotation, kind))}]"
        text = _type_repr(kind)
        origin = typing.get_origin(kind)
        if origin is None:
            if getattr(kind, "__origin__", None) is not None:
                return self.add_global(kind.__origin__.__name__, kind.__origin__)
            return self.add_global(text, kind)
        if not isinstance(kind, (typing._GenericAlias,)) and origin.__module__ == "builtins":
            head = origin
        else:
            head = _TYPING.get(origin, origin)
        name = self.add_global(_type_repr(head), head)
        arguments = [self.annotation(part) for part in typing.get_args(kind)]
        return f"{name}[{','.join(arguments)}]" if arguments else name

    def typed(self, node):
        known = self.remarks.type_of(node) if self.remarks is not None else None
        if known is not None:
            return f': "{known}"'
        return "" if node.type is None else f" : {self.annotation(node.type)}"

    # Arguments.

    def text(self, value):
        """An argument as an expression."""
        from .node import Node

        if isinstance(value, Node):
            return self.name(value)
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            kind = type(value)
            path = f"{_targets.module_of(kind)}.{kind.__name__}"
            return f"{self.add_global(path, kind)}{self._sequence(tuple(value), '()')}"
        if isinstance(value, tuple):
            return self._sequence(value, "()")
        if isinstance(value, list):
            return self._sequence(value, "[]")
        if isinstance(value, dict):
            return "{" + ", ".join(f"{key!r}: {self._held(held)}" for key, held in value.items()) + "}"
        if isinstance(value, complex) and (value.real == 0 or not cmath.isfinite(value)):
            return f"complex({value.real!r}, {value.imag!r})"
        if isinstance(value, slice):
            return f"slice({self.text(value.start)}, {self.text(value.stop)}, {self.text(value.step)})"
        if isinstance(value, _rushlight.Builtin):
            return _targets.qualified_name(value)
        if isinstance(value, enum.Enum):
            kind = type(value)
            return f"{self.add_global(kind.__name__, kind)}.{value.name}"
        return repr(value)

    def _held(self, value):
        """What a dictionary holds; numbers are written as Python does."""
        return repr(value) if isinstance(value, complex) else self.text(value)

    def _sequence(self, items, brackets):
        inner = ", ".join(map(self.text, items))
        if brackets == "()" and len(items) == 1:
            inner += ","
        return f"{brackets[0]}{inner}{brackets[1]}"

    def call(self, args, kwargs):
        """What stands between the parentheses of a call."""
        parts = [self.text(value) for value in args]
        parts += [f"{name} = {self.text(value)}" for name, value in kwargs.items()]
        return ", ".join(parts)

    # Statements.

    def release(self, node):
        """Lets go of what is not used after a node."""
        if node.op == "placeholder":
            return ""
        if node.op == "output":
            return ""
        dead = list(self.dying.get(node, ()))
        if not node.users:
            dead.append(node)
        return f";  {' = '.join([*map(self.name, dead), 'None'])}" if dead else ""

    def statement(self, node, codegen):
        """The statement of a node, without the end of its line; None where it needs none."""
        if node.op == "placeholder":
            default = f" = {self.text(node.args[0])}" if node.args else ""
            self.free_vars.append(f"{node.target}{self.typed(node)}{default}")
            plain = node.target.replace("*", "")
            return f"{self.name(node)} = {plain}" if plain != self.name(node) else None
        if node.op == "call_method":
            method = _format_target(self.text(node.args[0]), node.target)
            return self._assign(node, f"{method}({self.call(node.args[1:], node.kwargs)})")
        if node.op == "call_function":
            return self._function(node)
        if node.op == "call_module":
            return self._assign(node, f"{_format_target(self.root, node.target)}({self.call(node.args, node.kwargs)})")
        if node.op == "get_attr":
            return self._assign(node, _format_target(self.root, node.target))
        if node.op == "output":
            if node.type is not None:
                self.return_annotation = f" -> {self.annotation(node.type)}"
            return codegen.generate_output(node.args[0], repr_fn=self.text)
        raise NotImplementedError(f"node: {node.op} {node.target}")

    def _assign(self, node, expression):
        return f"{self.name(node)}{self.typed(node)} = {expression}"

    def _function(self, node):
        target, args = node.target, node.args
        if getattr(target, "__module__", None) == "_operator":
            operator = target.__name__
            if operator in magic_methods:
                return self._assign(node, magic_methods[operator].format(*map(self.text, args)))
            if operator in inplace_methods:
                change = inplace_methods[operator].format(*map(self.text, args))
                return f"{change};  {self.name(node)}{self.typed(node)} = {self.text(args[0])}"
        path = _targets.qualified_name(target)
        name = self.add_global(path, target)
        if name == "getattr" and len(args) == 2 and isinstance(args[1], str) and args[1].isidentifier():
            return self._assign(node, _format_target(self.text(args[0]), args[1]))
        if node.meta.get("is_wrapped", False):
            self.wrapped.setdefault(name)
        return self._assign(node, f"{name}({self.call(args, node.kwargs)})")


_TYPING = {
    list: typing.List, dict: typing.Dict, set: typing.Set, frozenset: typing.FrozenSet, tuple: typing.Tuple,
    type(int | str): typing.Union, collections.abc.Callable: typing.Callable,
}


def _is_own_name(name, obj):
    """Whether generated code knows an object under a name without being told."""
    if hasattr(builtins, name):
        return getattr(builtins, name) is obj
    return name in _custom_builtins and _custom_builtins[name].obj is obj


class _Identity:
    """Stands for an object by what it is, not by what it equals."""

    def __init__(self, obj):
        self.obj = obj

    def __hash__(self):
        return id(self.obj)

    def __eq__(self, other):
        return isinstance(other, _Identity) and other.obj is self.obj


class CodeGen:
    """How a graph becomes a function. Subclasses may change the head, the result, and what is done with inputs and outputs."""

    def __init__(self):
        self._body_transformer = None
        self._func_name = "forward"

    def gen_fn_def(self, free_vars, maybe_return_annotation, *, expanded_def=False):
        """The line with ``def`` and those that belong to it."""
        if not free_vars or free_vars[0] != "self":
            free_vars = ["self", *free_vars]
        if expanded_def:
            arguments = "".join(f"    {variable},\n" for variable in free_vars)
            return f"def {self._func_name}(\n{arguments}){maybe_return_annotation}:"
        return f"def {self._func_name}({', '.join(free_vars)}){maybe_return_annotation}:"

    def generate_output(self, output_args, *, descs=None, repr_fn=None):
        """The statement that returns the result."""
        return f"return {(repr_fn or repr)(output_args)}"

    def process_inputs(self, *args):
        """What an interpreter gives the placeholders."""
        return args

    def process_outputs(self, outputs):
        """What an interpreter returns for the output."""
        return outputs

    def additional_globals(self):
        """Names that the function needs besides those of the nodes, as pairs with what they stand for."""
        return []

    def _gen_python_code(
        self, nodes, root_module, namespace, *, verbose=False, include_stride=False, include_device=False, colored=False,
        expanded_def=False, record_func=False, additional_meta=None,
    ):
        writer = _Writer(nodes, root_module, namespace)
        if verbose:
            writer.remarks = Remarks(include_stride, include_device)
        for name, obj in self.additional_globals():
            writer.globals.setdefault(name, obj)
        body, owners = [], []
        for index, node in enumerate(writer.nodes):
            statement = writer.statement(node, self)
            if verbose:
                remark = writer.remarks.before(node, bool(body))
                if remark is not None:
                    body.append(remark)
                    owners += [index] * remark.count("\n")
            if statement is not None:
                body.append(statement + writer.release(node) + "\n")
                owners += [index] * body[-1].count("\n")
        if not writer.nodes:
            body.append("pass\n")
        if self._body_transformer:
            body = self._body_transformer(body)
        text = "".join(body)
        last = len(writer.nodes) - 1 if writer.nodes else None
        lineno_map = dict(enumerate([*owners, last], start=1))
        wraps = "\n".join(f'torch.fx._symbolic_trace.wrap("{name}")' for name in writer.wrapped)
        options = {"expanded_def": True} if expanded_def else {}
        head = self.gen_fn_def(writer.free_vars, writer.return_annotation, **options)
        code = "\n".join("    " + line for line in text.split("\n"))
        source = f"\n{wraps}\n\n{head}\n{code}"
        return PythonCode(source, writer.globals, lineno_map, source[: source.index(head)].count("\n") + 1)


class _PyTreeInfo(typing.NamedTuple):
    """How nested arguments are taken apart for placeholders, and results put together."""

    orig_args: list
    in_spec: object
    out_spec: object


class _PyTreeCodeGen(CodeGen):
    """For functions whose arguments and results are nested containers: placeholders stand for their leaves."""

    def __init__(self, pytree_info):
        super().__init__()
        self.pytree_info = pytree_info

    def process_inputs(self, *inputs):
        from ..utils import _pytree

        return _pytree.arg_tree_leaves(*inputs)

    def process_outputs(self, out):
        from ..utils import _pytree

        if not isinstance(out, (list, tuple)):
            out = [out]
        assert self.pytree_info.out_spec is not None
        return _pytree.tree_unflatten(out, self.pytree_info.out_spec)

    def gen_fn_def(self, free_vars, maybe_return_annotation, *, expanded_def=False):
        names = list(self.pytree_info.orig_args)
        has_self = bool(names) and names[0] == "self"
        head = super().gen_fn_def(names, maybe_return_annotation, expanded_def=expanded_def)
        if not free_vars:
            return head
        bare = [variable.split(" : ")[0].split(" = ")[0] for variable in free_vars]
        given = names[1:] if has_self else names
        spec = self.pytree_info.in_spec
        listed = f"[{', '.join(given)}]"
        if spec.type is tuple and [child.type for child in spec.children()] == [tuple, dict]:
            count = spec.child(0).num_children
            keys = spec.child(1).context
            by_name = "{" + ", ".join(f"'{key}':{given[count + i]}" for i, key in enumerate(keys)) + "}"
            listed = f"([{', '.join(given[:count])}], {by_name})"
        return f"{head}\n    {', '.join(bare)}, = fx_pytree.tree_flatten_spec({listed}, self._in_spec)"

    def generate_output(self, output_args, *, descs=None, repr_fn=None):
        shown = (repr_fn or repr)(output_args)
        if self.pytree_info.out_spec is None:
            return f"return {shown}"
        return f"return pytree.tree_unflatten({shown}, self._out_spec)"


class _BoxedCodeGen(CodeGen):
    """For functions that take their arguments in one list, which they empty."""

    def gen_fn_def(self, free_vars, maybe_return_annotation, *, expanded_def=False):
        head = f"def {self._func_name}(self, args_list){maybe_return_annotation}:"
        bare = [variable.split(" : ")[0].split(" = ")[0] for variable in free_vars if variable != "self"]
        if bare:
            head += f"\n    {', '.join(bare)}, = args_list\n    args_list.clear()"
        return head
