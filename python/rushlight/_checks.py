"""Checks that programs make of their arguments: ``torch._assert``, ``torch._check`` and its kin."""

from . import _rushlight

_PLAIN = (
    "Expected cond to be True, but got False. (Could this error message be improved? If so, please report an enhancement "
    "request to PyTorch.)"
)


def _assert(condition, message):
    """Raises ``AssertionError`` with a message unless the condition holds."""
    assert condition, message


def _check_with(error_type, cond, message):
    """Raises an error of a type unless a bool holds; the message may be a function that makes it."""
    if isinstance(cond, _rushlight.Tensor):
        raise TypeError(
            f"cond must be a bool, but got a {type(cond).__name__}. For tensor conditions, use torch._check_tensor_all() to assert that "
            "all elements are true."
        )
    if not isinstance(cond, bool):
        raise TypeError(f"cond must be a bool, but got {type(cond)}")
    if not cond:
        if not issubclass(error_type, Exception) or issubclass(error_type, Warning):
            raise AssertionError(f"error_type must be a subclass of Exception but not Warning, got {error_type}")
        raise error_type(str(message() if callable(message) else _PLAIN if message is None else message))


def _kind(name, error):
    def check(cond, message=None):
        _check_with(error, cond, message)

    check.__name__ = check.__qualname__ = name
    check.__doc__ = f"Raises ``{error.__name__}`` unless a bool holds."
    return check


_check = _kind("_check", RuntimeError)
_check_index = _kind("_check_index", IndexError)
_check_value = _kind("_check_value", ValueError)
_check_type = _kind("_check_type", TypeError)
_check_not_implemented = _kind("_check_not_implemented", NotImplementedError)


def _check_is_size(i, message=None, *, max=None):
    """Raises ``RuntimeError`` unless a number can be a size."""
    _check(i >= 0 and (max is None or i <= max), message)


def _check_tensor_all_with(error_type, cond, message=None):
    """Raises an error of a type unless all elements of a tensor of bools hold."""
    if not isinstance(cond, _rushlight.Tensor):
        raise TypeError(f"cond must be a tensor, but got {type(cond)}")
    if cond.dtype.name != "bool":
        raise TypeError(f"cond tensor must have dtype torch.bool, but got {cond.dtype}")
    _check_with(error_type, bool(cond.all().item()), message)


def _check_tensor_all(cond, message=None):
    """Raises ``RuntimeError`` unless all elements of a tensor of bools hold."""
    _check_tensor_all_with(RuntimeError, cond, message)
