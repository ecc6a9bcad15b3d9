"""The names of functions that nodes call: how graphs show them, and where generated code finds them."""

import builtins
import inspect
import types

from .._rushlight import Builtin, Tensor

# The class of the methods of tensors.
Method = type(Tensor.__dict__["add"])
_TENSOR_METHODS = (Method, types.WrapperDescriptorType, types.MethodDescriptorType)

# Operators that the reference keeps as Python functions of `torch.functional`.
_FUNCTIONAL = frozenset((
    "atleast_1d", "atleast_2d", "atleast_3d", "block_diag", "broadcast_tensors", "cartesian_prod", "chain_matmul", "einsum",
    "lu", "meshgrid", "unravel_index",
))
# Namespaces whose operators carry the name of the namespace too.
_PREFIXED = {"torch.special": "torch._C._special", "torch.linalg": "torch._C._linalg", "torch.fft": "torch._C._fft"}


def _builtin_path(function):
    """Where the reference keeps an operator."""
    space, _, name = function.path.rpartition(".")
    if space in ("torch", "torch.functional") and name in _FUNCTIONAL:
        return f"torch.functional.{name}"
    if space in _PREFIXED:
        return f"{_PREFIXED[space]}.{function.__name__}"
    return function.path


def _lambda_name(function):
    """The name that a lambda was given where it stands; the whole line where it was given none."""
    try:
        line = inspect.getsource(function)
    except (OSError, TypeError):
        return "lambda"
    return line.split("=", 1)[0].strip()


def is_overload(target):
    """Whether a function is one overload of an operator of ``torch.ops``."""
    return isinstance(target, Builtin) and target.path.startswith("torch.ops.") and target.path.count(".") == 4


def module_of(function):
    """The name of the module that a function belongs to."""
    module = getattr(function, "__module__", None)
    if module is None:
        if isinstance(function, _TENSOR_METHODS):
            return "torch.Tensor"
        owner = getattr(function, "__self__", None) or getattr(function, "__objclass__", None)
        module = getattr(owner, "__name__", None) if isinstance(owner, types.ModuleType) else None
        if module is None:
            raise RuntimeError(f"cannot find module for {function}")
    if module.partition(".")[2] in ("_functions", "_checks"):
        return "torch.functional" if getattr(function, "__name__", None) == "split" else "torch"
    if module == "rushlight" or module.startswith("rushlight."):
        module = "torch" + module.removeprefix("rushlight")
    return module


def called_name(function):
    """The name of a function without its module; overloads of operators carry the operator's."""
    if isinstance(function, Builtin):
        return ".".join(function.path.split(".")[3:]) if function.path.startswith("torch.ops.") else function.__name__
    return function.__name__


def qualified_name(function):
    """The dotted name of a function: ``torch.nn.functional.relu``; of Python's own, the bare name."""
    if isinstance(function, Builtin):
        return _builtin_path(function)
    if isinstance(function, _TENSOR_METHODS) and getattr(Tensor, function.__name__, None) is function:
        return f"torch.Tensor.{function.__name__}"
    name = function.__name__
    if getattr(builtins, name, None) is function:
        return name
    if name == "<lambda>":
        name = _lambda_name(function)
    return f"{module_of(function)}.{name}"


def is_from_torch(obj):
    """Whether generated code finds an object under its own name below ``torch``."""
    if isinstance(obj, Builtin):
        return True
    if isinstance(obj, _TENSOR_METHODS):
        return False
    module = getattr(obj, "__module__", None)
    if not isinstance(module, str) or not hasattr(obj, "__name__"):
        return False
    return module.partition(".")[0] in ("torch", "rushlight")


def shown(target):
    """A function as graphs print it."""
    if isinstance(target, str):
        return target
    if isinstance(target, Builtin):
        return _builtin_path(target)
    name = getattr(target, "__name__", None)
    if name is None:
        return getattr(target, "name", None) or repr(target)
    if getattr(builtins, name, None) is target:
        return f"builtins.{name}"
    if getattr(target, "__module__", None) == "_operator":
        return f"operator.{name}"
    return qualified_name(target)
