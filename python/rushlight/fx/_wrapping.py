"""Functions that are recorded as calls of themselves, instead of what they do."""

import functools
import inspect

from . import _seam
from ._patching import original_of

# {(id of a module's globals, name): the globals}: what `wrap` was told.
_wrapped_fns_to_patch = {}
# [(class, name)]: methods that are recorded as calls of themselves.
_wrapped_methods_to_patch = []


def wrap(fn_or_name):
    """Says at the top level of a module that a function of that module is to be recorded as a call.

    Takes the function, which it returns so that it may decorate it, or the name of one that the module sees. Raises
    ``RuntimeError`` for anything else, ``NotImplementedError`` elsewhere than at the top level.
    """
    if not callable(fn_or_name) and not isinstance(fn_or_name, str):
        raise RuntimeError("Unsupported type for global function! Must be either a callable or string name")
    if isinstance(fn_or_name, str):
        name = fn_or_name
    else:
        name = fn_or_name.__name__
    frame = inspect.currentframe().f_back
    if frame.f_code.co_name != "<module>":
        raise NotImplementedError("wrap must be called at the top level of a module")
    _wrapped_fns_to_patch[(id(frame.f_globals), name)] = frame.f_globals
    return fn_or_name


def forget(names):
    """Forgets what `wrap` was told of a module's globals, given by their id, which nobody uses any more."""
    for key in [key for key in _wrapped_fns_to_patch if key[0] == names]:
        del _wrapped_fns_to_patch[key]


def _create_wrapped_func(function):
    """A function that is recorded where a proxy is among its arguments, and else does what it does."""

    @functools.wraps(function)
    def wrapped(*args, **kwargs):
        proxy = _seam.find_proxy((*args, *kwargs.values()))
        if proxy is None:
            return function(*args, **kwargs)
        recorded = proxy.tracer.create_proxy("call_function", function, args, kwargs)
        recorded.node.meta["is_wrapped"] = True
        return recorded

    return wrapped


def _create_wrapped_method(cls, name):
    function = getattr(cls, name)

    @functools.wraps(function)
    def wrapped(*args, **kwargs):
        proxy = _seam.find_proxy((*args, *kwargs.values()))
        if proxy is None:
            return function(*args, **kwargs)
        return proxy.tracer.create_proxy("call_method", name, args, kwargs)

    return wrapped


def patch_wrapped(patcher):
    """Puts the recording functions in the place of those that `wrap` was told."""
    for (_, name), names in list(_wrapped_fns_to_patch.items()):
        function = original_of(names, name)
        if function is not None:
            patcher.patch(names, name, _create_wrapped_func(function))
    for cls, name in _wrapped_methods_to_patch:
        patcher.patch_method(cls, name, _create_wrapped_method(cls, name))


def patch_known(patcher, names, functions):
    """Puts recording functions in the place of certain ones, by their ids, among the names of a module."""
    if not patcher.visit_once(names):
        return
    for name, value in list(names.items()):
        if not name.startswith("_") and callable(value) and id(value) in functions:
            patcher.patch(names, name, _create_wrapped_func(value))
