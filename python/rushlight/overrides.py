"""``torch.overrides``: objects that bring operators of their own (``__torch_function__``).

Functions of programs that ask here find them. The library's own functions ask them only while graphs are recorded (``torch.fx``).
"""

import contextlib

from ._rushlight import Tensor

__all__ = [
    "BaseTorchFunctionMode", "TorchFunctionMode", "enable_reentrant_dispatch", "get_default_nowrap_functions", "get_ignored_functions",
    "get_overridable_functions", "get_testing_overrides", "handle_torch_function", "has_torch_function", "has_torch_function_unary",
    "has_torch_function_variadic", "is_tensor_like", "is_tensor_method_or_property", "resolve_name", "wrap_torch_function",
]  # fmt: skip


def has_torch_function(relevant_args):
    """Whether an argument brings operators of its own."""
    return any(hasattr(type(each), "__torch_function__") for each in relevant_args)


def has_torch_function_unary(obj):
    """As :func:`has_torch_function`, for one argument."""
    return hasattr(type(obj), "__torch_function__")


def has_torch_function_variadic(*args):
    """As :func:`has_torch_function`, for arguments one by one."""
    return has_torch_function(args)


def _who_answers(relevant_args):
    """The arguments that bring operators, one of each class, subclasses before what they derive from."""
    found = []
    for each in relevant_args:
        kind = type(each)
        if not hasattr(kind, "__torch_function__") or any(type(other) is kind for other in found):
            continue
        place = next((i for i, other in enumerate(found) if issubclass(kind, type(other))), len(found))
        found.insert(place, each)
    return found


def handle_torch_function(public_api, relevant_args, *args, **kwargs):
    """What the arguments that bring operators of their own make of a call.

    Raises ``TypeError`` where none of them knows the function.
    """
    answering = _who_answers(relevant_args)
    kinds = tuple(type(each) for each in answering)
    for each in answering:
        result = each.__torch_function__(public_api, kinds, args, kwargs)
        if result is not NotImplemented:
            return result
    name = f"{public_api.__module__}.{public_api.__name__}"
    message = f"no implementation found for '{name}' on types that implement __torch_function__: {list(kinds)}"
    raise TypeError(message)


def is_tensor_like(inp):
    """Whether an object is a tensor, or says that it can stand for one."""
    return isinstance(inp, Tensor) or hasattr(type(inp), "__torch_function__")


class TorchFunctionMode:
    """Sees every call of a function of ``torch``. Not part of this version: entering one raises ``NotImplementedError``."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        raise NotImplementedError

    def __enter__(self):
        raise NotImplementedError(f"{type(self).__name__}: calls of torch cannot be intercepted by modes in Rushlight")

    def __exit__(self, *_):
        return None


class BaseTorchFunctionMode(TorchFunctionMode):
    """A mode that lets every call through."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


def enable_reentrant_dispatch():
    """Within, nothing is different."""
    return contextlib.nullcontext()


def wrap_torch_function(dispatcher):
    """Marks a function whose arguments may bring operators of their own; the function stays as it is."""
    return lambda function: function


def get_default_nowrap_functions():
    """Attributes whose value is not made one of the subclass."""
    return {Tensor.grad.__get__} if hasattr(Tensor.grad, "__get__") else set()


def get_ignored_functions():
    """Functions that cannot be overridden: none can, so that there is nothing to leave out."""
    return set()


def get_overridable_functions():
    """Functions that can be overridden, by namespace: none."""
    return {}


def get_testing_overrides():
    """Functions that can be overridden, with a form of each: none."""
    return {}


def is_tensor_method_or_property(func):
    """Whether a function belongs to the class of tensors."""
    name = getattr(func, "__name__", None)
    return name is not None and getattr(Tensor, name, None) is func or name == "__get__"


def resolve_name(f):
    """The path of a function as programs write it."""
    if getattr(Tensor, getattr(f, "__name__", ""), None) is f:
        return f"torch.Tensor.{f.__name__}"
    name = getattr(f, "__qualname__", None)
    module = getattr(f, "__module__", None)
    return None if name is None or module is None else f"{module}.{name}"
