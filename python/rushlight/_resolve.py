"""What Python objects mean to scripts.

The extension asks a *scope* for names and gets a tuple that says what the object is, or None:

``("path", p)``              a name of the language's own libraries (``torch.relu``, ``math.sqrt``)
``("script_function", f)``   a compiled function
``("boolean_dispatch", ...)``, ``("overloaded_function", ...)``  see :mod:`rushlight._jit_internal`
``("python_function", i)``   a Python function to compile; ``i`` describes it (:func:`function_info`)
``("class", c, i)``          a class to compile, ``("enum", ...)``, ``("named_tuple", ...)``, ``("interface", ...)``
``("exception", n, q)``      an exception class
``("module", scope)``        a Python module
``("constant", v)``          a value that becomes a constant
``("type", t)``              a type, described by :func:`describe_type`
``("ignored_function", i, u)``  a function that stays in Python; calls of an unused one raise
``("python_callable", o, n, p, r)``  an object that is called where it stands: its name, the names of its parameters, its result
``("value", n, r)``          a value of a Python type that scripts cannot use, with how it prints
``("unsupported", message)`` something that gets an error of its own
"""

import ast
import builtins
import collections
import enum
import functools
import importlib
import math
import sys
import textwrap
import types
import typing
import warnings
import weakref

from . import _dataclasses, _jit_internal, _library, _rushlight, backends
from ._source import defaults_of, source_of
from ._type_names import LEGACY, Stream
from .futures import Future
from .jit._observed import types_of


# Classes of Python that the language has under the same name.
_LANGUAGE_TYPES = ("int", "float", "bool", "str", "complex", "list", "dict", "tuple", "range", "enumerate", "zip", "slice")
_MODULES = {"math": "math", "cmath": "cmath", "typing": "typing", "warnings": "warnings", "builtins": "builtins"}


def _qualified_class(cls):
    """``__torch__.module.Class``, with ``__main__`` left out."""
    module = "__torch__" if cls.__module__ == "__main__" else "__torch__." + cls.__module__
    return f"{module}.{cls.__name__}".replace("__torch__.rushlight.", "__torch__.torch.")


def qualified_function(function):
    """The name under which scripts know a function."""
    module = "__torch__" if function.__module__ == "__main__" else f"__torch__.{function.__module__}"
    return f"{module}.{function.__name__}".replace("__torch__.rushlight.", "__torch__.torch.")


class Scope:
    """Names as a function or a frame sees them."""

    # Whether the names are exactly those of the two dictionaries: the extension then looks there itself.
    plain = True

    def __init__(self, names, fallback=None):
        self.names = names
        self.fallback = fallback

    def find(self, name):
        """The object of a name, in a tuple; None when it is not defined."""
        if name in self.names:
            return (self.names[name],)
        if self.fallback is not None and name in self.fallback:
            return (self.fallback[name],)
        return None

    def dotted(self, name):
        """The object of a dotted name, in a tuple."""
        first, *rest = name.split(".")
        found = self.find(first)
        if found is None and hasattr(builtins, first):
            found = (getattr(builtins, first),)
        for part in rest:
            if found is None or not hasattr(found[0], part):
                return None
            found = (getattr(found[0], part),)
        return found

    def lookup(self, name):
        """What a name means; None when it is not defined."""
        found = self.find(name)
        # A name bound to None counts as undefined, as in the reference.
        if found is None or found[0] is None:
            return None
        if getattr(found[0], "__module__", None) == "builtins" and isinstance(found[0], types.BuiltinFunctionType):
            # Python's own functions have meanings under their own names alone.
            return None if name == found[0].__name__ else _unsupported(found[0])
        return describe(found[0])

    def host_name(self, name):
        """What one of Python's own names means, when neither program nor language define it."""
        found = getattr(builtins, name, None)
        return None if found is None else describe(found)

    def lookup_type(self, name):
        """The type that a name means in an annotation; None to let the language decide."""
        found = self.dotted(name)
        return None if found is None else describe_type(found[0])

    def own_name(self, name):
        """``typing.List`` for what a program calls ``tp.List``; None for what is not of that module."""
        found = self.dotted(name)
        if found and found[0] is Future:
            return "torch.jit.Future"
        own = found and getattr(found[0], "_name", None)
        return f"typing.{own}" if own and getattr(typing, own, None) is found[0] else None

    def refused_annotation(self, text):
        """See :func:`rushlight.jit.annotations.refusal`."""
        from .jit import annotations

        return annotations.refusal(text, self)

    def constant(self, name):
        """The object of a dotted name, for default values."""
        return self.dotted(name)


_CONSTANTS = (bool, int, float, complex, str, _rushlight.dtype, _rushlight.device, _rushlight.Code)


class ModuleScope(Scope):
    """The names of a Python module."""

    plain = False

    def __init__(self, module):
        super().__init__({})
        self.module = module

    def find(self, name):
        return (getattr(self.module, name),) if hasattr(self.module, name) else None

    def lookup(self, name):
        """As for other scopes; simple values of a module are constants."""
        found = self.find(name)
        if found is not None and (found[0] is None or isinstance(found[0], _CONSTANTS)):
            return ("constant", found[0])
        return None if found is None else describe(found[0])


class ModuleClassScope(Scope):
    """The functions of the class of a module that need no instance."""

    plain = False

    def __init__(self, cls):
        super().__init__({})
        self.cls = cls

    def find(self, name):
        for base in self.cls.__mro__:
            member = base.__dict__.get(name)
            if member is not None:
                return (member.__func__,) if isinstance(member, staticmethod) else None
        return None


class ClassScope(Scope):
    """The names that the methods of a class see. Annotations mean the class by its own name, whatever that is outside."""

    plain = False

    def __init__(self, cls, names, outer):
        super().__init__(names, outer)
        self.cls = cls

    def lookup_type(self, name):
        """As for other scopes, but for the class itself."""
        return describe_type(self.cls) if name == self.cls.__name__ else super().lookup_type(name)


class FunctionScope(Scope):
    """The names that a function sees outside itself: free variables, then globals."""

    def __init__(self, function):
        free = {}
        code = function.__code__
        for name, cell in zip(code.co_freevars, function.__closure__ or ()):
            try:
                free[name] = cell.cell_contents
            except ValueError:
                continue  # not assigned yet
        super().__init__(free, function.__globals__)
        self.function = function


def frame_scope(depth):
    """The names of a caller's frame."""
    frame = sys._getframe(depth + 1)
    return Scope(frame.f_locals, frame.f_globals)


def function_info(function):
    """What the extension needs to compile a function."""
    made = getattr(function, "_rushlight_info", None)
    if made is not None:
        return made
    name = function.__name__  # before the source: objects that only can be called have neither
    text, file, line = source_of(function)
    scope = FunctionScope(function)
    if "_IgnoreContextManager" in text:
        from .jit import _ignored_blocks

        text, made = _ignored_blocks.taken_out(text, file, {**function.__globals__, **scope.names})
        scope.names.update(made)
    return {
        "key": function,
        "name": name,
        "qualified": qualified_function(function),
        "source": text,
        "file": file,
        "line": line,
        "scope": scope,
        "defaults": defaults_of(function),
        "observed": types_of(function),
    }


# Functions of the library do not change, and scripts ask for them again and again.
_library_function_info = functools.cache(function_info)


def _written_functions(cls):
    """The functions from which a script makes the methods of a class: ``(kind, name, function)`` in its order.

    Properties come first, inherited ones too; then what the class itself has under the names of its functions.
    """
    members = []
    for name in sorted(dir(cls)):
        member = defined(cls, name)
        if isinstance(member, property):
            members += [(kind, name, part) for kind, part in (("getter", member.fget), ("setter", member.fset)) if part]
    own = vars(cls)
    for name in sorted(own):
        kind = {staticmethod: "static", classmethod: "class"}.get(type(own[name]), "method")
        function = own[name] if kind == "method" else own[name].__func__
        if isinstance(function, types.FunctionType) and function.__name__ in own:
            members.append((kind, name, function))
    return members


def defined(cls, name):
    """What the class has under a name, as it was defined: no descriptor is asked."""
    for base in cls.__mro__:
        if name in vars(base):
            return vars(base)[name]
    return None


def _named_by_hints(function):
    """What plain names in the annotations of a function stand for, wherever they were visible."""
    hints = getattr(function, "__annotations__", {})
    if not hints:
        return {}
    try:
        text, _, _ = source_of(function)
        head = ast.parse(textwrap.dedent(text)).body[0]
        parameters = [*head.args.posonlyargs, *head.args.args, *head.args.kwonlyargs]
    except (OSError, SyntaxError, AttributeError, IndexError):
        return {}
    written = [(p.arg, p.annotation) for p in parameters] + [("return", head.returns)]
    return {node.id: hints[name] for name, node in written if isinstance(node, ast.Name) and not isinstance(hints.get(name, ""), str)}


def _class_scope(cls, functions, outer=None):
    """The names that the methods of a class see; ``outer`` are those where the program has the class compiled."""
    module = sys.modules.get(cls.__module__)
    names = None
    for _, _, function in functions:
        scope = FunctionScope(function)
        if names is None:
            names = dict(scope.fallback)
        names.update(scope.names)
    if names is None:
        names = dict(vars(module)) if module else {}
    for _, _, function in functions:
        for name, hint in _named_by_hints(function).items():
            names.setdefault(name, hint)
    names.setdefault(cls.__name__, cls)
    return ClassScope(cls, names, outer)


def _method_info(kind, name, function):
    text, file, line = source_of(function)
    return {
        "kind": kind,
        "name": name,
        "source": text,
        "file": file,
        "line": line,
        "defaults": defaults_of(function),
        "observed": types_of(function),
    }


def _class_attributes(cls):
    """The names that the class itself gives values to: errors speak of them."""
    functions = (types.FunctionType, staticmethod, classmethod, property, type)
    return [n for n, m in vars(cls).items() if not (n.startswith("__") or isinstance(m, functions))]


def describe_class(cls, outer=None):
    """A class that scripts may use; see :func:`_class_scope` for ``outer``."""
    info = {"qualified": _qualified_class(cls)}
    if issubclass(cls, enum.Enum):
        info["members"] = [(member.name, member.value) for member in cls]
        return ("enum", cls, info)
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        # Classes derived from it have none of their own.
        hints = {name: hint for base in reversed(cls.__mro__) for name, hint in vars(base).get("__annotations__", {}).items()}
        scope = _class_scope(cls, _written_functions(cls))
        fields = []
        for name in cls._fields:
            hint = hints.get(name, _rushlight.Tensor)
            if isinstance(hint, str):
                found = scope.dotted(hint)
                hint = found[0] if found else eval(hint, dict(scope.names))  # noqa: S307  the program's own text
            fields.append((name, describe_type(hint)))
        info["fields"] = fields
        info["annotated"] = bool(hints)
        info["defaults"] = [cls._field_defaults[n] for n in cls._fields if n in cls._field_defaults]
        return ("named_tuple", cls, info)
    if getattr(cls, "__torch_script_interface__", False):
        text, file, line = source_of(cls)
        scope = _class_scope(cls, _written_functions(cls), outer)
        info.update(source=text, file=file, line=line, scope=scope, is_module=bool(getattr(cls, "_is_module_interface", False)))
        return ("interface", cls, info)
    if _rushlight.is_scripted_class(cls):
        return ("class", cls, info)
    return _describe_plain_class(cls, info, outer)


# The methods of classes that are not written in Python.
_METHODS_OF_C = (types.MethodDescriptorType, types.WrapperDescriptorType)


def is_made_in_c(cls):
    """Whether a class is not written in Python, though a text may stand for it as for ``functools.partial``."""
    return any(isinstance(member, _METHODS_OF_C) and member.__objclass__ is cls for member in vars(cls).values())


def _describe_plain_class(cls, info, outer=None):
    functions = _written_functions(cls)
    if not functions:
        source_of(cls)  # raises where the class is not Python's
    scope = _class_scope(cls, functions, outer)
    synthesized = {}
    if _dataclasses.is_dataclass(cls):
        synthesized = _dataclasses.synthesize(cls, scope.names)
        functions = [f for f in functions if f[1] not in synthesized and not _dataclasses.is_left_out(cls, f[1])]
    info.update(
        scope=scope,
        methods=[_method_info(*f) for f in functions],
        synthesized=list(synthesized.items()),
        attributes=_class_attributes(cls),
        doc=cls.__doc__,
    )
    return ("class", cls, info)


_SIMPLE_TYPES = {int: "int", float: "float", bool: "bool", str: "str", complex: "complex", type(None): "NoneType"}


def describe_type(hint):
    """A Python type, as the extension builds types; None for what only the language knows."""
    if hint is None or hint is type(None):
        return ("simple", "NoneType")
    if isinstance(hint, typing.ForwardRef):
        hint = hint.__forward_arg__
    if isinstance(hint, str):
        return None
    if hint in _SIMPLE_TYPES if isinstance(hint, type) else False:
        return ("simple", _SIMPLE_TYPES[hint])
    if hint is typing.Any:
        return ("simple", "Any")
    if hint is _rushlight.device:
        return ("simple", "Device")
    if hint is _rushlight.dtype:
        return ("simple", "int")
    if hint is _rushlight.Generator:
        return ("simple", "Generator")
    if hint is Stream:
        return ("simple", "Stream")
    if type(hint) is type(LEGACY["FloatTensor"]):
        warnings.warn(
            "TorchScript will treat type annotations of Tensor dtype-specific subtypes as if they are normal Tensors. dtype "
            "constraints are not enforced in compilation either.",
            stacklevel=2,
        )
        return ("simple", "Tensor")
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is Future:
        part = describe_type(arguments[0])
        return part and ("future", part)
    remote = sys.modules.get(f"{__package__}.distributed.rpc")
    if remote is not None and origin is remote.RRef:
        part = describe_type(arguments[0])
        return part and ("rref", part)
    if origin in (typing.Union, types.UnionType):
        parts = [describe_type(a) for a in arguments]
        return None if None in parts else ("union", *parts)
    if origin is list:
        part = describe_type(arguments[0]) if arguments else None
        return part and ("list", part)
    if origin is dict:
        parts = [describe_type(a) for a in arguments]
        return None if None in parts or len(parts) != 2 else ("dict", *parts)
    if origin is tuple:
        parts = [] if arguments == ((),) else [describe_type(a) for a in arguments]
        return None if None in parts else ("tuple", *parts)
    if isinstance(hint, type):
        if issubclass(hint, _rushlight.Tensor):
            return ("simple", "Tensor")
        if hint is Future:
            raise RuntimeError("Attempted to use Future without a contained type. Please add a contained type, e.g. Future[int]")
        if issubclass(hint, (list, dict)) or hint in (tuple, object):
            return None
        if issubclass(hint, (enum.Enum,)) or (issubclass(hint, tuple) and hasattr(hint, "_fields")):
            return describe_class(hint)
        if hint.__module__ in ("builtins", "typing", "torch", "torch._C") or issubclass(hint, BaseException):
            return None
        if "_no_script_class" in vars(hint) or is_made_in_c(hint):
            return None
        if _is_scriptable_class(hint):
            return describe_class(hint)
        return ("module_class", _qualified_class(hint))
    return None


def _module_class():
    from .nn.modules.module import Module

    return Module


def _is_scriptable_class(cls):
    """Modules are scripted by instance; their classes are types only where they are interfaces."""
    return not issubclass(cls, _module_class()) or "__torch_script_interface__" in vars(cls)


def _is_library(module_name):
    return module_name in ("rushlight", "torch") or module_name.startswith(("rushlight.", "torch."))


def describe(obj):
    """What an object means to a script."""
    path = getattr(obj, "_rushlight_path", None)
    if isinstance(path, str):
        return ("path", path)
    if isinstance(obj, enum.Enum):
        return ("constant", obj)
    if obj is math.inf or obj is math.nan:
        return ("path", f"math.{obj}")
    if isinstance(obj, types.ModuleType):
        if isinstance(obj, backends._Backend):
            return ("module", ModuleScope(obj))
        if _library.is_compiled(obj.__name__):
            return ("module", ModuleScope(obj))
        if _is_library(obj.__name__):
            return ("path", "torch" + obj.__name__.removeprefix("rushlight").removeprefix("torch"))
        if obj.__name__ in _MODULES:
            return ("path", _MODULES[obj.__name__])
        return ("module", ModuleScope(obj))
    if isinstance(obj, _rushlight.Builtin):
        return ("path", obj.path)
    if isinstance(obj, _rushlight.ScriptFunction):
        return ("script_function", obj)
    if type(obj).__module__ in ("torch._ops", "torch._library.custom_ops") and not isinstance(obj, types.ModuleType):
        from ._custom.operators import path_of

        return ("path", path_of(obj))
    if obj is collections.OrderedDict:
        return ("path", "torch.dict")
    if isinstance(obj, types.BuiltinFunctionType):
        module = getattr(obj, "__module__", None) or ""
        if module in _MODULES:
            return ("path", f"{module}.{obj.__name__}")
        if getattr(sys.modules[__package__], obj.__name__, None) is obj:
            return ("path", f"torch.{obj.__name__}")
        return _unsupported(obj)
    if isinstance(obj, types.FunctionType):
        return _describe_function(obj)
    if isinstance(obj, type):
        return _describe_class_object(obj)
    if typing.get_origin(obj) is not None:
        described = describe_type(obj)
        return ("type", described) if described else _value(obj)
    if isinstance(obj, types.MethodType) and isinstance(obj.__func__, types.FunctionType):
        return ("python_callable", obj, obj.__qualname__, _parameter_names(obj.__func__), None)
    if isinstance(obj, _module_class()) and _is_scripted(obj):
        return ("unsupported", "Cannot call a ScriptModule that is not a submodule of the caller")
    if isinstance(obj, (_module_class(), functools.partial)):
        return ("python_callable", obj, "<python_value>", None, None)
    if callable(obj):
        # What scripts may call is remembered weakly: what allows no such references is refused with Python's own words.
        weakref.ref(obj)
        return _python_callable(obj)
    return _value(obj)


def _unsupported(function):
    """A function of Python's own that scripts do not have."""
    return ("unsupported", f"Python builtin {function!r} is currently not supported in Torchscript")


def _is_scripted(module):
    from .jit import ScriptModule

    return isinstance(module, ScriptModule)


def _value(obj):
    """A value that scripts cannot use."""
    return ("value", type(obj).__name__, f"{obj!r}")


def _python_callable(obj):
    """An object that scripts call where it stands, with the parameters that it shows."""
    call = None if isinstance(obj, type) else type(obj).__call__
    result = getattr(call, "__annotations__", {}).get("return")
    described = None if result is None or isinstance(result, str) else describe_type(result)
    parameters = _parameter_names(call)
    if described is not None and parameters is not None:
        # Where there are annotations, the object before the dot is no parameter.
        parameters = None
    return ("python_callable", obj, getattr(obj, "__name__", "<python_value>" if described else ""), parameters, described)


def _parameter_names(function):
    """The names of the parameters of a function that Python can tell; None of others."""
    import inspect

    try:
        return inspect.getfullargspec(function).args
    except TypeError:
        return None


def describe_library(path):
    """What a dotted path of our own standard library means (``torch.nn.functional.relu``); None when it is not there."""
    found = sys.modules[__package__]
    for part in path.split(".")[1:]:
        found = getattr(found, part, None)
        if found is None:
            return None
    described = describe(found)
    return None if described == ("path", path) else described


def _describe_function(function):
    function = getattr(function, "__original_fn", function)
    dispatch = getattr(function, "_boolean_dispatch", None)
    if dispatch is not None:
        return ("boolean_dispatch", *dispatch)
    declarations = _jit_internal.declared_overloads(function)
    if declarations:
        return ("overloaded_function", *overloads(function, declarations), not _library.is_compiled(function.__module__))
    path = getattr(function, "_script_path", None)
    if path is not None:
        return ("path", path)
    modifier = _jit_internal.modifier_of(function)
    if modifier in ("ignore", "unused"):
        return ("ignored_function", function_info(function), modifier == "unused")
    if _is_library(function.__module__ or "") and not _library.is_compiled(function.__module__):
        module = function.__module__.replace("rushlight", "torch", 1)
        module = {"torch._functions": "torch", "torch._quantizing": "torch", "torch.functional": "torch", "torch.jit._names": "torch.jit"}.get(module, module)
        return ("path", f"{module}.{function.__name__}")
    from .jit import _notices

    _notices.announce("script")
    info = _library_function_info if _library.is_compiled(function.__module__ or "") else function_info
    return ("python_function", info(function))


def overloads(function, declarations):
    """The name, the declarations and the body of an overloaded function."""
    return function.__name__, [function_info(d) for d in declarations], function_info(function)


def _uninstantiable(cls):
    message = f"Cannot instantiate class '{cls.__name__}' in a script function"
    return ("uninstantiable", message, ModuleClassScope(cls), _qualified_class(cls), cls.__name__)


def _describe_class_object(cls):
    if issubclass(cls, BaseException):
        module = "builtins" if cls.__module__ == "builtins" else cls.__module__
        return ("exception", cls.__name__, f"{module}.{cls.__name__}")
    if cls.__module__ == "builtins":
        return ("path", f"builtins.{cls.__name__}") if cls.__name__ in _LANGUAGE_TYPES else _python_callable(cls)
    if cls is _rushlight.device:
        return ("path", "torch.device")
    if type(cls) is type(LEGACY["FloatTensor"]):
        return ("path", f"torch.{cls.__name__}")
    is_ignored = "_torchscript_modifier" in vars(cls) and _jit_internal.modifier_of(cls) == "ignore"
    if is_ignored or cls.__module__ == "torch.nn.parameter":
        return _uninstantiable(cls)
    if "_scripted" in vars(cls):
        # Scripts have a class of the same name.
        return _describe_class_object(importlib.import_module(cls._scripted, __package__).autocast)
    try:
        described = describe_type(cls)
    except (OSError, TypeError):
        if cls.__module__ == "__main__" or not cls.__module__.startswith("_"):
            raise
        # A class of the interpreter: nothing of it is Python.
        described = None
    if described is None:
        return _python_callable(cls)
    if described[0] == "module_class":
        return _uninstantiable(cls)
    if described[0] == "interface":
        # As a value, an interface is the class that its text says.
        return ("interface_value", described, _describe_plain_class(cls, {"qualified": _qualified_class(cls)}))
    if described[0] in ("class", "enum", "named_tuple"):
        return described
    return ("type", described)
