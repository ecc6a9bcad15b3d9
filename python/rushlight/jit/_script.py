"""``torch.jit.script`` and ``torch.jit.CompilationUnit``."""

import enum
import importlib.util
import itertools
import sys
import types
import warnings

from .. import _dataclasses, _jit_internal, _resolve, _rushlight
from ..nn import Module
from ._notices import announce, optimize_has_no_effect
from ._observed import Observed
from ._shared import share
from ._state import _enabled, _jit_caching_layer

_compiled = {}
# What programs that give examples are told; the types are learnt without it.
_NO_MONKEYTYPE = (
    "Warning: monkeytype is not installed. Please install https://github.com/Instagram/MonkeyType to enable Profile-Directed Typing "
    "in TorchScript. Refer to https://github.com/Instagram/MonkeyType/blob/master/README.rst to install MonkeyType. "
)


def script(obj, optimize=None, _frames_up=0, _rcb=None, example_inputs=None):
    """Compiles a function or class."""
    if not _enabled:
        return obj
    announce("script")
    if optimize is not None:
        optimize_has_no_effect()
    if _is_scripted(obj):
        return obj
    if example_inputs and importlib.util.find_spec("monkeytype") is None:
        warnings.warn(_NO_MONKEYTYPE, stacklevel=2)
    with Observed(obj, example_inputs):
        if isinstance(obj, type):
            return _script_class(obj, sys._getframe(1 + _frames_up).f_locals)
        return _scripted(obj)


def _is_scripted(obj):
    from ._script_module import ScriptModule

    return isinstance(obj, (_rushlight.ScriptFunction, ScriptModule))


def _scripted(obj):
    if _is_scripted(obj):
        return obj
    if isinstance(obj, Module):
        from ._script_module import script_instance

        return script_instance(_prepared(obj))
    if isinstance(obj, type):
        return _script_class(obj)
    if isinstance(obj, (types.FunctionType, types.MethodType)):
        # What a trace would compile is compiled.
        obj = getattr(obj, "__original_fn", obj)
        if hasattr(obj, "__script_unsupported"):
            raise RuntimeError("TorchScript error: " + getattr(obj, "__script_unsupported"))
        if obj.__module__ is None:
            raise RuntimeError(f"Could not get qualified name for class '{obj.__name__}': __module__ can't be None.")
        if _jit_internal.declared_overloads(obj):
            name = _resolve.qualified_function(obj)
            raise RuntimeError(
                f"Function {name} cannot be directly compiled because it is overloaded. It must be used in a context of a function"
                " where its inputs can determine which overload to call."
            )
        function = _rushlight.script_function(_resolve.function_info(obj))
        function.__doc__ = obj.__doc__
        if isinstance(obj, types.FunctionType):
            _jit_caching_layer[obj] = function
        return function
    if isinstance(obj, (list, dict)):
        return share(obj)
    if type(obj).__module__ not in ("builtins", "torch", "torch._C"):
        from ._script_class import RecursiveScriptClass, script_object

        if isinstance(obj, RecursiveScriptClass):
            return obj
        return script_object(obj)
    raise _unscriptable(obj)


def _get_overloads(obj):
    """The functions that an overloaded function becomes; None where it has one way to be called."""
    declarations = _jit_internal.declared_overloads(obj)
    if not declarations:
        return None
    _, declarations, body = _resolve.overloads(obj, declarations)
    return _rushlight.script_overloads(declarations, body)


def _prepared(module):
    """What is scripted in the place of a module: what its ``__prepare_scriptable__`` gives, and so for its parts."""
    if hasattr(module, "__prepare_scriptable__"):
        module = module.__prepare_scriptable__()
    parts = module.__dict__.get("_modules")
    if isinstance(parts, dict):
        for name, part in parts.items():
            if part is not None and not _is_script(part):
                prepared = _prepared(part)
                if prepared is not part:
                    parts[name] = prepared
    return module


def _is_script(module):
    from ._script_module import ScriptModule

    return isinstance(module, ScriptModule)


def _unscriptable(obj):
    """The error for an object that is neither code nor a class."""
    cls = type(obj)
    if issubclass(cls, _rushlight.Tensor):
        return TypeError(
            "module, class, method, function, traceback, frame, or code object was expected, got method_descriptor"
        )
    if cls.__module__ == "builtins" or isinstance(obj, _rushlight.Builtin):
        shown = type(len) if isinstance(obj, _rushlight.Builtin) else cls
        return TypeError(f"{shown} is a built-in class")
    return OSError(
        f"Can't get source for {cls}. TorchScript requires source access in order to carry out compilation, "
        "make sure original .py files are available."
    )


def _script_class(cls, outer=None):
    if issubclass(cls, Module):
        raise RuntimeError(f"Type '{cls}' cannot be compiled since it inherits from nn.Module, pass an instance instead")
    if issubclass(cls, enum.Enum):
        return cls
    if not hasattr(cls, "mro") or cls.__module__ == "builtins" and not issubclass(cls, BaseException):
        raise RuntimeError("TorchScript classes must be new-style classes. Please inherit from 'object'.")
    bases = [b for b in cls.__mro__[1:] if b is not object]
    if bases and not (issubclass(cls, tuple) or getattr(cls, "__torch_script_interface__", False)):
        raise RuntimeError("TorchScript classes does not support inheritance yet. Please directly inherit from 'object'.")
    if _dataclasses.is_dataclass(cls):
        _dataclasses.mark_scripted(cls)
    _rushlight.script_class(_resolve.describe_class(cls, outer))
    return cls


class ScriptWarning(Warning):
    """Given where a program scripts what may not do what it seems to."""


ScriptWarning.__module__ = "torch.jit._script"


class CompilationUnit:
    """Functions compiled from a source text."""

    def __init__(self, lang=None, _frames_up=0):
        self._functions = {}
        if lang is not None:
            self.define(lang, _frames_up=_frames_up + 1)

    def define(self, lang, rcb=None, _frames_up=0):
        """Adds the functions of a source text, which know one another; other names are looked up in the caller's frame."""
        scope = _resolve.frame_scope(_frames_up + 1)
        for name, function in _rushlight.compile_source(lang, scope):
            if name in self._functions:
                raise RuntimeError(f"method '{name}' already defined.")
            self._functions[name] = function

    def find_function(self, name):
        """The function of a name, or None."""
        return self._functions.get(name)

    def get_functions(self):
        """All functions."""
        return list(self._functions.values())

    def drop_all_functions(self):
        """Forgets the functions."""
        self._functions.clear()

    def create_function(self, qualified_name, graph, shouldMangle=False):
        """Adds a function with a graph as its body; with ``shouldMangle`` under another name where there is one of that name."""
        if qualified_name in self._functions:
            if not shouldMangle:
                raise RuntimeError(f"method '{qualified_name}' already defined.")
            numbers = (f"__torch_mangle_{i}.{qualified_name}" for i in itertools.count())
            qualified_name = next(name for name in numbers if name not in self._functions)
        function = _rushlight.create_function_from_graph(qualified_name, graph)
        self._functions[qualified_name] = function
        return function

    def set_optimized(self, optimize):
        """Has no effect: there is one executor."""

    def __getattr__(self, name):
        functions = self.__dict__.get("_functions", {})
        if name not in functions:
            raise AttributeError(f"'CompilationUnit' has no attribute '{name}'")
        return functions[name]


CompilationUnit.__module__ = "torch.jit"


# Names that programs import from here.
_ELSEWHERE = {
    "ScriptModule": "_script_module", "RecursiveScriptModule": "_script_module", "script_method": "_script_module", "Attribute": "_names",
    "interface": "_names", "_unwrap_optional": "_names", "RecursiveScriptClass": "_script_class", "_ScriptProfile": "_line_profile",
}  # fmt: skip


def __getattr__(name):
    if name == "ScriptFunction":
        return _rushlight.ScriptFunction
    if name == "call_prepare_scriptable_func":
        return _prepared
    if name in _ELSEWHERE:
        from importlib import import_module

        return getattr(import_module("." + _ELSEWHERE[name], __package__), name)
    raise AttributeError(f"module 'torch.jit._script' has no attribute '{name}'")
