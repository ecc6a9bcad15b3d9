"""Names that programs write in scripts, with their meaning in plain Python."""

import builtins
import functools
import sys
import typing

from .. import _rushlight
from .._jit_internal import FunctionModifiers, check_declaration
from ..futures import _Plain, _refuse_none
from ._notices import announce, ignored_calls_are_dropped, inner_type_is_lost
from ._state import _enabled

Final = typing.Final


def annotate(the_type, the_value):
    """The value; in a script, a value of the type."""
    return the_value


class _Typed(typing.NamedTuple):
    value: typing.Any
    type: typing.Any


class Attribute(_Typed):
    """A value with the type that a script sees; the value itself, where scripts are off."""

    __slots__ = ()

    def __new__(cls, value, type):
        return super().__new__(cls, value, type) if _enabled else value


def _unwrap_optional(x):
    """The value, which must not be None."""
    assert x is not None, "Unwrapping null optional"
    return x


def is_scripting():
    """Whether this code runs as a script: False in Python."""
    return False


def is_tracing():
    """Whether a trace is being recorded."""
    return _rushlight.is_tracing()


def export(fn):
    """Marks a method to be compiled even when forward does not call it."""
    fn._torchscript_modifier = FunctionModifiers.EXPORT
    return fn


def ignore(drop=False, **kwargs):
    """Marks a function that stays in Python."""
    if callable(drop):
        drop._torchscript_modifier = FunctionModifiers.IGNORE
        return drop
    if not builtins.isinstance(drop, bool):
        raise RuntimeError(f"Argument to @torch.jit.ignore must be a bool or a function but got {drop}")
    on_export = kwargs.pop("drop_on_export", None)
    if on_export:
        ignored_calls_are_dropped("drop_on_export=True")
    elif drop:
        ignored_calls_are_dropped("True")
    drop = drop or bool(on_export)

    def mark(fn):
        fn._torchscript_modifier = FunctionModifiers.UNUSED if drop else FunctionModifiers.IGNORE
        return fn

    return mark


def unused(fn):
    """Marks a function whose calls raise in scripts."""
    if builtins.isinstance(fn, property):
        unused(fn.fget)
        return fn
    fn._torchscript_modifier = FunctionModifiers.UNUSED
    return fn


# Declarations of overloaded methods: {(module, class): {method: [function]}}.
_method_overloads = {}


def _overload_method(func):
    """Declares one way to call a method; the definition that follows without this mark is the body of all of them."""
    check_declaration(func)
    owner, _, name = func.__qualname__.rpartition(".")
    _method_overloads.setdefault((func.__module__, owner), {}).setdefault(name, []).append(func)
    return func


def declared_overloads(cls):
    """The overloads declared in the body of a class and its bases, by method; what a class defines anew has its own."""
    found = {}
    for base in reversed(cls.__mro__):
        for name in vars(base):
            found.pop(name, None)
        found.update(_method_overloads.get((base.__module__, base.__qualname__), {}))
    return found


def rename_module(old, new):
    """Files what the classes of a module have declared under the module name that they have from now on."""
    for module, owner in [key for key in _method_overloads if key[0] == old]:
        _method_overloads[new, owner] = _method_overloads.pop((module, owner))


def interface(obj):
    """Marks a class whose methods say what other classes must have."""
    if not builtins.isinstance(obj, type):
        raise RuntimeError("interface must be applied to a class")
    announce("interface")
    from ..nn import Module

    if obj.__bases__ not in ((object,), (Module,)):
        raise RuntimeError(
            "TorchScript interface does not support inheritance yet. Please directly inherit from 'object' or 'nn.Module'."
        )
    obj.__torch_script_interface__ = True
    obj._is_module_interface = issubclass(obj, Module)
    from .._resolve import describe_class

    # What is wrong with its declarations is said here, not where a script first names it.
    _rushlight.described_type(describe_class(obj, sys._getframe(1).f_locals))
    return obj


def script_if_tracing(fn):
    """A function that is scripted when a trace calls it; the function itself otherwise."""

    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        if not is_tracing():
            return fn(*args, **kwargs)
        from ._script import script

        return script(fn)(*args, **kwargs)

    wrapper.__original_fn = fn
    wrapper.__script_if_tracing_wrapper = True
    return wrapper


def isinstance(obj, target_type):
    """Whether an object has a type, containers looked into."""
    if _has_lost_types(obj):
        inner_type_is_lost()
    return _fits(obj, target_type)


def _has_lost_types(obj):
    """Whether an object is an empty container, or one of such."""
    if not builtins.isinstance(obj, (list, tuple, dict)):
        return False
    return not obj or any(map(_has_lost_types, obj))


_BARE = {
    list: ("list", "a contained type", "int"), tuple: ("tuple", "a contained type", "int"), dict: ("dict", "contained types", "int, int"),
    typing.List: ("List", "a contained type", "int"), typing.Tuple: ("Tuple", "a contained type", "int"),
         typing.Dict: ("Dict", "contained types", "int, int"), typing.Optional: ("Optional", "a contained type", "int"),
}


def _fits(obj, hint):
    if builtins.isinstance(hint, tuple):
        return any(_fits(obj, h) for h in hint)
    if builtins.isinstance(hint, (list, set, dict, str)):
        raise RuntimeError("The second argument to `torch.jit.isinstance` must be a type or a tuple of types")
    if builtins.isinstance(hint, typing.Hashable) and hint in _BARE:
        name, what, example = _BARE[hint]
        added = what.removeprefix("a ")
        raise RuntimeError(
            f"Attempted to use {name} without {what}. Please add {'a ' if what != added else ''}{added.rstrip('s')}, e.g. {name}[{example}]"
        )
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Union:
        return any(_fits(obj, a) for a in arguments)
    if origin is list:
        return builtins.isinstance(obj, list) and all(_fits(x, arguments[0]) for x in obj)
    if origin is dict:
        return builtins.isinstance(obj, dict) and all(_fits(k, arguments[0]) and _fits(v, arguments[1]) for k, v in obj.items())
    if origin is tuple:
        return builtins.isinstance(obj, tuple) and len(obj) == len(arguments) and all(map(_fits, obj, arguments))
    return builtins.isinstance(obj, hint)


def fork(func, *args, **kwargs):
    """Runs a call as a task of its own; in plain Python, at once."""
    announce("fork")
    if not callable(func):
        raise TypeError(f"Object of type '{type(func).__name__}' is not an instance of 'function'")
    task = _rushlight.begin_traced_fork()
    future = _Plain()
    result = func(*args, **kwargs)
    future.set_result(result)
    if task is not None:
        task.end(result)
        future._task = task
    return future


def wait(future):
    """The result of a task."""
    announce("wait")
    _refuse_none((future,))
    if not builtins.isinstance(future, _Plain):
        raise TypeError(
            "wait(): incompatible function arguments. The following argument types are supported:\n"
            f"    1. (arg0: torch._C.Future) -> object\n\nInvoked with: {future!r}"
        )
    return future.wait()


class _Await:
    """A call that runs when its result is first asked for."""

    def __init__(self, func, args=()):
        self._shared = func if builtins.isinstance(func, _rushlight.Shared) else None
        self._func, self._args = func, args
        self._result = ()

    def wait(self):
        """The result."""
        if not self._result:
            self._result = (self._shared.wait() if self._shared is not None else self._func(*self._args),)
        return self._result[0]

    def __getattr__(self, name):
        return getattr(self.wait(), name)


_Await.__module__ = "torch._C"
_rushlight.register("Await", _Await)


def _awaitable_nowait(result):
    """A result as an awaitable."""
    return _Await(lambda: result)


def _awaitable(func, *args, **kwargs):
    """A call that runs when its result is first asked for."""
    return _Await(functools.partial(func, **kwargs) if kwargs else func, args)


def _awaitable_wait(awaitable):
    """The result of an awaitable."""
    return awaitable.wait()


for _name in ("annotate", "is_scripting", "is_tracing", "isinstance", "fork", "wait", "_awaitable", "_awaitable_wait", "_awaitable_nowait", "_unwrap_optional"):
    globals()[_name]._rushlight_path = "torch.jit." + _name
