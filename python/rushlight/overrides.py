"""``torch.overrides``: objects that bring operators of their own (``__torch_function__``).

Functions of programs that ask here find them. The library's own functions ask them only while graphs are recorded (``torch.fx``).
"""

from ._rushlight import Tensor

__all__ = ["has_torch_function", "has_torch_function_unary", "has_torch_function_variadic", "handle_torch_function", "is_tensor_like"]


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
