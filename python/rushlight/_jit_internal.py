"""Marks that functions carry and the compiler understands; the standard library is written with them.

``boolean_dispatch`` makes one name of two functions, told apart by a flag that must be known when a call is compiled;
``_overload`` declares signatures of a function whose body is compiled once for each of them that is used;
``BroadcastingList2[int]`` is a list of two for which a single number may stand.
"""

import contextlib


class _BroadcastingList:
    """A list of a fixed length in an annotation."""

    def __init__(self, length):
        self.length = length

    def __getitem__(self, element):
        return list[element]


BroadcastingList1 = _BroadcastingList(1)
BroadcastingList2 = _BroadcastingList(2)
BroadcastingList3 = _BroadcastingList(3)
BroadcastingList4 = _BroadcastingList(4)
BroadcastingList5 = _BroadcastingList(5)
BroadcastingList6 = _BroadcastingList(6)


def boolean_dispatch(arg_name, arg_index, default, if_true, if_false, module_name, func_name):
    """A function that calls ``if_true`` or ``if_false`` by the value of one argument."""

    def dispatch(*args, **kwargs):
        flag = default
        if arg_name in kwargs:
            flag = kwargs[arg_name]
        elif arg_index < len(args):
            flag = args[arg_index]
        return if_true(*args, **kwargs) if flag else if_false(*args, **kwargs)

    dispatch.__name__ = dispatch.__qualname__ = func_name
    dispatch.__module__ = module_name
    dispatch.__doc__ = if_true.__doc__ or if_false.__doc__
    dispatch._boolean_dispatch = (arg_name, arg_index, default, if_true, if_false)
    return dispatch


# Declarations of overloaded functions: {(module, qualified name): [function]}.
_overloads = {}


def _overload(func):
    """Declares one way to call a function; the definition that follows without this mark is the body of all of them."""
    _overloads.setdefault((func.__module__, func.__qualname__), []).append(func)
    return func


def declared_overloads(function):
    """The overloads declared for a function."""
    return _overloads.get((function.__module__, function.__qualname__), ())


def rename_module(old, new):
    """Files what a module has declared under the name that its functions have from now on."""
    for module, name in [key for key in _overloads if key[0] == old]:
        declarations = _overloads[new, name] = _overloads.pop((module, name))
        for declaration in declarations:
            declaration.__module__ = new


@contextlib.contextmanager
def _disable_emit_hooks():
    """Runs what is inside as ever: nothing is told of what the compiler makes."""
    yield


def __getattr__(name):
    if name in ("_overload_method", "export", "ignore", "unused", "is_scripting", "Final"):
        from .jit import _names

        return getattr(_names, name)
    raise AttributeError(f"module 'torch._jit_internal' has no attribute '{name}'")
