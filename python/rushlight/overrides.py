"""``torch.overrides``: tensors of other libraries do not take part here, so nothing is overridden."""

from ._rushlight import Tensor

__all__ = ["has_torch_function", "has_torch_function_unary", "has_torch_function_variadic", "handle_torch_function", "is_tensor_like"]


def has_torch_function(relevant_args):
    """Whether an argument brings operators of its own: none does."""
    return False


def has_torch_function_unary(obj):
    """As :func:`has_torch_function`, for one argument."""
    return False


def has_torch_function_variadic(*args):
    """As :func:`has_torch_function`, for arguments one by one."""
    return False


def handle_torch_function(public_api, relevant_args, *args, **kwargs):
    """Refuses: there is nothing that would handle the call."""
    raise TypeError(f"no implementation found for '{public_api}' on types that implement __torch_function__")


def is_tensor_like(inp):
    """Whether an object is a tensor."""
    return isinstance(inp, Tensor)
