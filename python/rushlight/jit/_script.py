"""``torch.jit.script`` and ``torch.jit.CompilationUnit``."""

import enum
import os
import types

from .. import _resolve, _rushlight
from ..nn import Module

_compiled = {}


def _enabled():
    return os.environ.get("PYTORCH_JIT", "1") not in ("0", "false", "off")


def script(obj, optimize=None, _frames_up=0, _rcb=None, example_inputs=None):
    """Compiles a function or class."""
    if not _enabled():
        return obj
    if isinstance(obj, _rushlight.ScriptFunction):
        return obj
    from ._script_module import ScriptModule, script_instance

    if isinstance(obj, ScriptModule):
        return obj
    if isinstance(obj, Module):
        return script_instance(obj)
    if isinstance(obj, type):
        return _script_class(obj)
    if isinstance(obj, (types.FunctionType, types.MethodType)):
        function = _rushlight.script_function(_resolve.function_info(obj))
        function.__doc__ = obj.__doc__
        return function
    if isinstance(obj, (list, dict)):
        return obj
    raise RuntimeError(f"Could not get qualified name for class '{type(obj).__name__}': it cannot be scripted")


def _script_class(cls):
    if issubclass(cls, Module):
        raise RuntimeError(f"Type '{cls}' cannot be compiled since it inherits from nn.Module, pass an instance instead")
    if issubclass(cls, enum.Enum):
        return cls
    bases = [b for b in cls.__mro__[1:] if b is not object]
    if bases and not (issubclass(cls, tuple) or getattr(cls, "__torch_script_interface__", False)):
        raise RuntimeError("TorchScript classes does not support inheritance yet. Please directly inherit from 'object'.")
    _rushlight.script_class(_resolve.describe_class(cls))
    return cls


class CompilationUnit:
    """Functions compiled from a source text."""

    def __init__(self, lang=None, _frames_up=0):
        self._functions = {}
        if lang is not None:
            self.define(lang, _frames_up=_frames_up + 1)

    def define(self, lang, rcb=None, _frames_up=0):
        """Adds the functions of a source text; its names are looked up in the caller's frame."""
        scope = _Definitions(_resolve.frame_scope(_frames_up + 1), self._functions)
        for name, function in _rushlight.compile_source(lang, scope):
            self._functions[name] = function

    def __getattr__(self, name):
        functions = self.__dict__.get("_functions", {})
        if name not in functions:
            raise AttributeError(f"'CompilationUnit' has no attribute '{name}'")
        return functions[name]


class _Definitions:
    """The functions of a unit, then the names of a frame."""

    def __init__(self, frame, functions):
        self.frame = frame
        self.functions = functions

    def lookup(self, name):
        if name in self.functions:
            return ("script_function", self.functions[name])
        return self.frame.lookup(name)

    def lookup_type(self, name):
        return self.frame.lookup_type(name)

    def constant(self, name):
        return self.frame.constant(name)
