"""Namespaces of operators: ``torch.special``, ``torch.linalg``, ``torch.fft``, ``torch.ops``, ..."""

import sys
import types

from . import _rushlight


# Operators that have names of methods.
_SIGNS = frozenset(f"__{place}{sign}__" for sign in ("and", "or", "xor", "lshift", "rshift") for place in ("", "i"))


class Builtins(types.ModuleType):
    """A module whose attributes are operators under a prefix."""

    def __init__(self, path, prefix):
        super().__init__(path)
        self.__path__ = []
        self._rushlight_path = path
        self._prefix = prefix

    def __getattr__(self, name):
        if self._is_none(name):
            raise AttributeError(name)
        if name == "LinAlgError" and self._prefix == "aten::linalg_":
            from ._errors import _LinAlgError

            return _LinAlgError
        operator = self._prefix + name
        if not _rushlight.has_operator(operator):
            raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")
        found = _rushlight.Builtin(operator, f"{self._rushlight_path}.{name}")
        setattr(self, name, found)
        return found

    def _is_none(self, name):
        """Whether a name is one of Python's own that no operator has; some of ``torch.ops`` do, as ``aten::__contains__``."""
        if not (name.startswith("__") and name.endswith("__")) or name in _SIGNS:
            return False
        return not (self._rushlight_path.startswith("torch.ops.") and _rushlight.has_operator(self._prefix + name))

    def __dir__(self):
        operators = (name.removeprefix(self._prefix) for name in _rushlight.operator_names() if name.startswith(self._prefix))
        return sorted({*super().__dir__(), *(name for name in operators if name.isidentifier())})


def _shown(self):
    """What ``repr`` says of an operator."""
    name = self.__name__
    if self.path.startswith("torch.ops."):
        space, name, *overload = self.path.split(".")[2:]
        if overload:
            return f"<OpOverload(op='{space}.{name}', overload='{overload[0]}')>"
        return f"<OpOverloadPacket(op='{space}.{name}')>"
    if self.path == self.operator:
        return f"<built-in method {name} of Tensor object at {id(self):#x}>"
    if self.path == "torch." + name:
        return f"<built-in method {name} of type object at {id(type(self)):#x}>"
    return f"<built-in function {name}>"


# The parameters of functions that the reference has in Python.
_PARAMETERS = {
    **dict.fromkeys(("atleast_1d", "atleast_2d", "atleast_3d", "block_diag", "broadcast_tensors", "cartesian_prod"), lambda *tensors: None),
    "chain_matmul": lambda *matrices, out=None: None,
    "einsum": lambda *args: None,
    "meshgrid": lambda *tensors, indexing=None: None,
}


def _signature(self):
    """What ``inspect.signature`` is told: functions that the reference does not have in Python have none."""
    function = _PARAMETERS.get(self.path.removeprefix("torch."))
    if function is None:
        raise ValueError(f"no signature found for builtin {self!r}")
    import inspect

    return inspect.signature(function)


_rushlight.Builtin.__signature__ = property(_signature)
_rushlight.Builtin.__repr__ = _shown
_rushlight.Builtin.__str__ = lambda self: self.path.removeprefix("torch.ops.") if self.path.startswith("torch.ops.") else _shown(self)


def _overload(self):
    """The namespace, the name and the overload (None for all of them) of an operator of ``torch.ops``."""
    if not self.path.startswith("torch.ops."):
        raise AttributeError("'builtin_function_or_method' object is no operator of torch.ops")
    space, name, *overload = self.path.split(".")[2:]
    return space, name, overload[0] if overload else None


def _schema(self):
    """The schema of one overload of an operator."""
    wanted = self.path.removeprefix("torch.ops.").split(".")[2:]
    found = [s for s in _rushlight.schemas_of(self.operator) if not wanted or s.overload_name == ("" if wanted[0] == "default" else wanted[0])]
    if len(found) != 1:
        raise AttributeError(f"'{self.operator}' has several overloads, each with a schema of its own")
    return found[0]


def _packet(self):
    """The operator with all its overloads."""
    space, name, overload = _overload(self)
    if overload is None:
        raise AttributeError("'OpOverloadPacket' object has no attribute 'overloadpacket'")
    return getattr(getattr(NAMESPACES["ops"], space), name)


def _full_name(self):
    """``ns::name``, with the overload where that has a name."""
    space, name, overload = _overload(self)
    return f"{space}::{name}" if overload in (None, "default") else f"{space}::{name}.{overload}"


def _tags(self):
    """What the operator is to programs that transform programs: a list of ``torch.Tag``."""
    from ._operator_tags import tags_of

    space, name, overload = _overload(self)
    if overload is None:
        raise AttributeError("'OpOverloadPacket' object has no attribute 'tags'")
    return tags_of(name, overload, _schema(self)) if space == "aten" else []


def _is_view(self):
    """Whether results share memory with arguments that are not written."""
    infos = [a.alias_info for a in _schema(self).arguments]
    return any(i is not None and not i.is_write for i in infos)


for _name, _get in {
    "_schema": _schema,
    "tags": _tags,
    "overloadpacket": _packet,
    "_overloadpacket": _packet,
    "namespace": lambda self: _overload(self)[0],
    "_opname": lambda self: _overload(self)[1],
    "_overloadname": lambda self: _overload(self)[2] or "",
    "_qualified_op_name": lambda self: "::".join(_overload(self)[:2]),
    "is_view": _is_view,
}.items():
    setattr(_rushlight.Builtin, _name, property(_get))
_rushlight.Builtin.name = _full_name


class Namespace(Builtins):
    """A namespace of ``torch.ops``: operators of ours, and those that programs define."""

    __file__ = "torch.ops"

    def __getattr__(self, name):
        if self._is_none(name):
            raise AttributeError(name)
        if self._prefix == "_test::":
            from ._custom import test_operators  # noqa: F401
        registry = sys.modules.get(_REGISTRY)
        if registry is not None and registry.overloads(self._prefix + name):
            from ._custom.operators import OpOverloadPacket

            found = OpOverloadPacket(self._prefix + name)
            setattr(self, name, found)
            return found
        if _rushlight.has_operator(self._prefix + name):
            return super().__getattr__(name)
        raise AttributeError(f"'_OpNamespace' '{self._prefix[:-2]}' object has no attribute '{name}'")


Namespace.__name__ = Namespace.__qualname__ = "_OpNamespace"
Namespace.__module__ = "torch._ops"
# Operators that programs define; not loaded before the first.
_REGISTRY = __name__.removesuffix("_namespaces") + "_custom.registry"


class AtenOperators(Namespace):
    """``torch.ops.aten``: names of operators that are not there are known too; calling them says so."""

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            from ._absent_operators import NAMES, AbsentOperator

            if name not in NAMES:
                raise
            from ._backward_operators import define

            if define(name):
                return super().__getattr__(name)
        found = AbsentOperator(name)
        setattr(self, name, found)
        return found


class Operators(types.ModuleType):
    """``torch.ops``: each attribute is a namespace of operators."""

    def __init__(self):
        super().__init__("torch.ops")
        self.__path__ = []
        self._rushlight_path = "torch.ops"
        self.__file__ = "_ops.py"
        self.loaded_libraries = set()

    def load_library(self, path):
        """Makes the operators of a compiled library known, where this package has them; raises ``OSError`` of others."""
        from ._extensions import load_library

        load_library(path)
        self.loaded_libraries.add(str(path))

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        space = (AtenOperators if name == "aten" else Namespace)(f"torch.ops.{name}", f"{name}::")
        setattr(self, name, space)
        return space


# What names of switches of executors begin with.
_OF_SWITCHES = ("_jit_", "_llvm_")


class Internals(Builtins):
    """``torch._C``: what shows graphs, types and schemas, besides the operators."""

    def __getattr__(self, name):
        from . import _introspection

        if name == "_functorch":
            from ._functorch import internals as found
        elif name == "_AutoDispatchBelowAutograd":
            from ._custom.operators import below_autograd as found
        elif name.startswith(_OF_SWITCHES):
            from ._executor_switches import TABLE

            found = _introspection.lookup(name) or TABLE.get(name)
        else:
            found = _introspection.lookup(name)
        if found is None:
            return super().__getattr__(name)
        setattr(self, name, found)
        return found


_internal = Internals("torch._C", "aten::")
for _name in ("_nn", "_special", "_linalg", "_fft"):
    setattr(_internal, _name, Builtins(f"torch._C.{_name}", "aten::"))


def _parse_to(*args, **kwargs):
    """What the arguments of ``Tensor.to`` say: (device, dtype, non_blocking, memory_format)."""
    names = ["device", "dtype", "non_blocking", "copy"]
    found = dict.fromkeys(("device", "dtype", "memory_format"), None) | {"non_blocking": False}
    if args and isinstance(args[0], _rushlight.Tensor):
        found.update(device=args[0].device, dtype=args[0].dtype)
        names = ["", "non_blocking", "copy"]
    elif args and isinstance(args[0], _rushlight.dtype):
        names = names[1:]
    for name, value in [*zip(names, args), *kwargs.items()]:
        if name == "device" and value is not None:
            value = _rushlight.device(value)
        if name in ("tensor", "other"):
            found.update(device=value.device, dtype=value.dtype)
        elif name in found:
            found[name] = value
        elif name not in ("", "copy"):
            raise TypeError(f"to() received an invalid keyword argument: {name}")
    return found["device"], found["dtype"], found["non_blocking"], found["memory_format"]


_internal._nn._parse_to = _parse_to
_internal._get_max_operator_version = lambda: 10


def _increment_version(tensors):
    """Counts a write to each of several tensors."""
    from .autograd.graph import increment_version

    for one in tensors:
        if not isinstance(one, _rushlight.Tensor):
            raise RuntimeError("increment_version expects each element of the iterable to be a tensor")
        increment_version(one)


_internal._increment_version = _increment_version


def _get_tracing_state():
    """The trace that is being recorded, or None."""
    from .jit import _trace

    return _trace._active.tracer if _trace._active is not None else None


_internal._get_tracing_state = _get_tracing_state
_internal._is_tracing = _rushlight.is_tracing


NAMESPACES = {
    "_C": _internal,
    "special": Builtins("torch.special", "aten::special_"),
    "linalg": Builtins("torch.linalg", "aten::linalg_"),
    "fft": Builtins("torch.fft", "aten::fft_"),
    "_VF": Builtins("torch._VF", "aten::"),
    "ops": Operators(),
}
