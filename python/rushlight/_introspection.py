"""Graphs, types and schemas as ``torch._C`` shows them."""

import sys
import types

from . import _names, _rushlight

Graph = _rushlight.Graph
Node = _rushlight.Node
Value = _rushlight.Value
Block = _rushlight.Block
Type = _rushlight.Type
FunctionSchema = _rushlight.FunctionSchema
Argument = _rushlight.Argument
ScriptFunction = _rushlight.ScriptFunction
parse_ir = _rushlight.parse_ir
parse_schema = _rushlight.parse_schema
_create_function_from_graph = _rushlight.create_function_from_graph
_parse_type = _rushlight.parse_type


def _infer_type_from(value, example):
    """Gives a value the type of a tensor, with its sizes, strides and device."""
    if not isinstance(example, _rushlight.Tensor):
        raise TypeError(
            "inferTypeFrom(): incompatible function arguments. The following argument types are supported:\n"
            "    1. (self: torch._C.Value, arg0: torch.Tensor) -> None\n"
            "    2. (self: torch._C.Value, arg0: c10::ivalue::Object) -> None\n\n"
            f"Invoked with: {value!r}, {example!r}"
        )
    # Types call the numbers what storages are called.
    from ._checkpoint_writing import _STORAGES

    kind = _STORAGES.get(example.dtype.name, example.dtype.name).removesuffix("Storage")
    parts = [str(size) for size in example.shape]
    if example.layout == _names.strided:
        parts.append(f"strides={list(example.stride())}")
    parts += [f"requires_grad={int(example.requires_grad)}", f"device={example.device}"]
    value.setType(_parse_type(f"{kind}({', '.join(parts)})"))


Value.inferTypeFrom = _infer_type_from


class _Kind(type):
    """Classes of types: ``isinstance(t, ListType)`` asks a type for its kind."""

    def __instancecheck__(cls, instance):
        return isinstance(instance, Type) and instance.kind() == cls.__name__


def _simple(name, spelling):
    """A class of which there is one type: ``IntType.get()``."""
    return _Kind(name, (), {"get": staticmethod(lambda: _parse_type(spelling)), "__new__": lambda cls: _parse_type(spelling)})


def _made(name, gathers=False):
    """A class of types that are made of others: ``ListType(int)``."""

    def new(cls, *parts):
        if None in parts:
            raise RuntimeError(f"Can not create {name} with None type")
        return _rushlight.make_type(name, list(parts[0]) if gathers else list(parts))

    return _Kind(name, (), {"__new__": new})


_SIMPLE = {
    "AnyType": "Any",
    "BoolType": "bool",
    "ComplexType": "complex",
    "DeviceObjType": "Device",
    "FloatType": "float",
    "IntType": "int",
    "PyObjectType": "PyObject",
    "SymIntType": "SymInt",
    "NoneType": "NoneType",
    "NumberType": "Scalar",
    "StreamObjType": "Stream",
    "StringType": "str",
    "TensorType": "Tensor",
}
for _name, _spelling in _SIMPLE.items():
    globals()[_name] = _simple(_name, _spelling)

ListType = _made("ListType")
OptionalType = _made("OptionalType")
DictType = _made("DictType")
FutureType = _made("FutureType")
AwaitType = _made("AwaitType")
RRefType = _made("RRefType")
TupleType = _made("TupleType", gathers=True)
UnionType = _made("UnionType", gathers=True)
ClassType = _Kind("ClassType", (), {})
EnumType = _Kind("EnumType", (), {})
InterfaceType = _Kind("InterfaceType", (), {})

ListType.ofInts = staticmethod(lambda: _parse_type("int[]"))
ListType.ofFloats = staticmethod(lambda: _parse_type("float[]"))
ListType.ofBools = staticmethod(lambda: _parse_type("bool[]"))
ListType.ofTensors = staticmethod(lambda: _parse_type("Tensor[]"))
ListType.ofStrings = staticmethod(lambda: _parse_type("str[]"))
OptionalType.ofTensor = staticmethod(lambda: _parse_type("Tensor?"))
TensorType.getInferred = TensorType.get  # noqa: F821


def _alias_db(graph, isFrozen=False, descend_function_calls=False):
    """Which values of the graph may share memory, and which are written to."""
    from ._passes.alias import AliasDb

    return AliasDb(graph, descend_function_calls)


Graph.alias_db = _alias_db


def _print_source_ranges(enabled=True):
    """Whether graphs print where their nodes come from."""
    _rushlight.hide_source_ranges(not enabled)


def _prints_source_ranges(graph):
    before = _rushlight.hide_source_ranges(True)
    _rushlight.hide_source_ranges(before)
    return not before


Graph.set_global_print_source_ranges = staticmethod(_print_source_ranges)
Graph.global_print_source_ranges = property(_prints_source_ranges, doc="Whether graphs print where their nodes come from.")


def _python_name(node):
    """The name of the function of Python that a node calls."""
    if node.kind() != "prim::PythonOp":
        raise RuntimeError(f"expected a prim::PythonOp but found a {node.kind()}")
    return str(node).partition(" = ^")[2].partition("[")[0]


Node.pyname = _python_name


def _copy_type_and_name(self, other):
    """Gives a value the type of another, and its name where it has one."""
    self.setType(other.type())
    if not other.debugName().isdigit():
        self.setDebugName(other.debugName())
    return self


def _replace_later_uses(self, node, other):
    """Puts another value in the place of this one in the nodes that come after one."""
    for use in list(self.uses()):
        if use.user.isAfter(node):
            use.user.replaceInput(use.offset, other)


Value.copyMetadata = _copy_type_and_name
Value.replaceAllUsesAfterNodeWith = _replace_later_uses
Argument.is_write = property(lambda self: self.alias_info is not None and self.alias_info.is_write)


def _type_of_tensor(tensor):
    """The type of just such tensors as this one."""
    found = _rushlight.type_of_tensor(tensor)
    if not tensor.requires_grad:
        return found
    graph = Graph()
    graph.addInput("x").setType(found)
    return next(_rushlight.read_ir(str(graph).replace("requires_grad=0", "requires_grad=1")).inputs()).type()


TensorType.create_from_tensor = staticmethod(_type_of_tensor)  # noqa: F821


class InferredType:
    """A type that was found, or why there is none."""

    def __init__(self, found):
        self._type, self._reason = (None, found) if isinstance(found, str) else (found, "")

    def success(self):
        """Whether there is a type."""
        return self._type is not None

    def type(self):
        """The type."""
        if self._type is None:
            raise RuntimeError(f"Tried to get the type from an InferredType but the type is null. Reason: {self._reason}")
        return self._type

    def reason(self):
        """Why there is no type."""
        return self._reason


InferredType.__module__ = "torch"


def _jit_try_infer_type(value):
    """The type that an object has for scripts and traces, without annotations."""
    from .jit import ScriptModule

    if isinstance(value, ScriptModule):
        return InferredType("Cannot infer type of ScriptModule")
    return InferredType(_rushlight.try_infer_type(value.decode() if isinstance(value, bytes) else value))


def _jit_get_schemas_for_operator(name):
    """The schemas of all overloads of an operator."""
    return _rushlight.schemas_of(name)


def _get_schema(name, overload):
    """The schema of one overload of an operator."""
    for schema in _rushlight.schemas_of(name):
        if schema.overload_name == overload:
            return schema
    raise RuntimeError("Found no matching schema")


def _jit_get_all_schemas():
    """The schemas of all operators."""
    return _rushlight.schemas_of()


def _propagate_shapes(graph, inputs, with_grad=False):
    """A copy of a graph whose values say what follows from the types and the numbers of dimensions of its inputs."""
    copied = graph.copy()
    _rushlight.propagate_shapes(copied, list(inputs), False)
    return copied


def _jit_pass_complete_shape_analysis(graph, inputs, with_grad=False):
    """Makes all values of a graph say what follows from its inputs."""
    _rushlight.propagate_shapes(graph, list(inputs), True)


def _jit_pass_lint(graph):
    """Checks that a graph is well formed."""
    graph.lint()


def _jit_pass_canonicalize(graph, keep_unique_names=True):
    """The graph with its values numbered anew, without their names where those are not to be kept."""
    return graph.canonical(keep_unique_names)


def _jit_pass_peephole(graph, disable_shape_peepholes=False):
    """Replaces nodes by what their inputs already say; types of tensors are believed unless told otherwise."""
    name = "_jit_pass_peephole"
    return _rushlight.run_pass(f"{name} without shapes" if disable_shape_peepholes else name, graph)


def _jit_pass_custom_pattern_based_rewrite_graph(pattern, fused_node_name, graph, value_name_pairs=()):
    """Puts the nodes of one graph, given as text, where a graph has those of another."""
    _rushlight.rewrite_pattern(pattern, fused_node_name, graph, list(value_name_pairs))


def _jit_pass_custom_pattern_based_rewrite(pattern, fused_node_name, module):
    """The same in all methods of a script object."""
    for name in module._methods():
        _rushlight.rewrite_pattern(pattern, fused_node_name, module._get_method(name).graph, [])


def _pass(name):
    def run(graph, *options):
        return _rushlight.run_pass(name, graph)

    run.__name__ = name
    run.__doc__ = "Runs a pass over a graph."
    return run


# Classes that `torch` shows and that are said to live in `torch._C`.
_SHOWN = frozenset("Generator Size device dtype finfo iinfo layout memory_format qscheme".split())


def lookup(name):
    """What ``torch._C`` has under a name, or None."""
    if name in _SHOWN:
        return vars(sys.modules[__package__]).get(name)
    found = globals().get(name)
    if found is not None and not name.startswith("__"):
        return found
    from . import _internals

    found = None if name.startswith("__") else getattr(_internals, name, None)
    if found is not None:
        return found
    from . import _passes

    found = _passes.find(name)
    if found is not None:
        return found
    if name.startswith("_jit_pass_") and _rushlight.run_pass(name, None):
        return _pass(name)
    return None


class Code:
    """The instructions of a function, as executors of the reference have them; there are none to be had."""

    __module__ = "torch"

    def __init__(self):
        raise TypeError("torch._C.Code: No constructor defined!")


# What `torch` finds by other ways than its tables.
_FOUND = (
    "CompilationUnit", "DisableTorchFunction", "DisableTorchFunctionSubclass", "DispatchKey", "DispatchKeySet", "FileCheck", "FunctionSchema",
    "Future", "OutOfMemoryError", "ScriptDict", "ScriptFunction", "ScriptList", "ScriptMethod", "ScriptModule", "is_anomaly_check_nan_enabled",
    "is_anomaly_enabled", "load", "save", "serialization", "vmap", "can_cast", "is_vulkan_available", "promote_types", "sym_constrain_range",
    "sym_constrain_range_for_size", "wait",
)
# Beginnings of operators that namespaces of their own have.
_ELSEWHERE = ("_", "fft_", "linalg_", "special_")


# Operators on lists, dicts and strings that have an overload for tensors.
_OF_CONTAINERS = frozenset((
    "clear", "copy", "count", "dict", "get", "index", "items", "keys", "len", "list", "set", "slice", "sorted", "update", "values",
))  # fmt: skip


def public_names(names, modules, look_up):
    """What ``from torch import *`` takes of names: all that is public, but the modules."""
    found = []
    for name in names:
        if name.startswith("_") or name in modules:
            continue
        try:
            value = look_up(name)
        except Exception:
            continue
        if not isinstance(value, types.ModuleType):
            found.append(name)
    return found


def names_of(namespace, tables):
    """The names that ``dir(torch)`` lists: those of the module, of what it loads when asked, and of operators on tensors."""
    from ._methods_only import NAMES

    operators = (name.removeprefix("aten::") for name in _rushlight.operator_names() if name.startswith("aten::"))
    plain = {
        name
        for name in operators
        if name[0].islower()
        and not name.startswith(_ELSEWHERE)
        and name not in _OF_CONTAINERS
        and name not in NAMES
        and any("Tensor" in str(schema) for schema in _rushlight.schemas_of("aten::" + name))
    }
    types = {name for name, value in globals().items() if name[0].isupper() and isinstance(value, type)}
    return sorted({*namespace, *tables, *_FOUND, *plain, *types})
