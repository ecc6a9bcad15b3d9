"""``torch.overrides``: objects that bring operators of their own (``__torch_function__``), and modes that see all calls."""

import collections
import contextlib
import functools

from ._rushlight import Builtin, Tensor
from ._tensor_kinds import _disabled_torch_function_impl

__all__ = [
    "BaseTorchFunctionMode", "TorchFunctionMode", "enable_reentrant_dispatch", "get_default_nowrap_functions", "get_ignored_functions",
    "get_overridable_functions", "get_testing_overrides", "handle_torch_function", "has_torch_function", "has_torch_function_unary",
    "has_torch_function_variadic", "is_tensor_like", "is_tensor_method_or_property", "resolve_name", "wrap_torch_function",
]  # fmt: skip


def has_torch_function(relevant_args):
    """Whether an argument brings operators of its own, or a mode is on."""
    return any(has_torch_function_unary(each) for each in relevant_args) or _mode_is_on()


def _mode_is_on():
    import sys

    overriding = sys.modules.get(__package__ + "._overriding")
    return overriding is not None and bool(overriding.state.modes) and not overriding.state.modes_off


def has_torch_function_unary(obj):
    """As :func:`has_torch_function`, for one argument."""
    kind = type(obj)
    handler = getattr(kind, "__torch_function__", None)
    if handler is None or kind is Tensor or handler is _disabled_torch_function_impl:
        return _mode_is_on()
    from ._noticing import notice
    from ._overriding import state

    notice()
    return not state.subclasses_off or _mode_is_on()


def has_torch_function_variadic(*args):
    """As :func:`has_torch_function`, for arguments one by one."""
    return has_torch_function(args)


def handle_torch_function(public_api, relevant_args, *args, **kwargs):
    """What a mode or the arguments that bring operators of their own make of a call.

    Raises ``TypeError`` where none of them knows the function.
    """
    from . import _overriding

    asked = _overriding.who_is_asked(relevant_args)
    return _overriding.dispatch(public_api, asked, args, kwargs, _overriding._kinds(relevant_args), of_python=True)


def is_tensor_like(inp):
    """Whether an object is a tensor, or says that it can stand for one."""
    return isinstance(inp, Tensor) or hasattr(type(inp), "__torch_function__")


class TorchFunctionMode:
    """Sees every call of a function of ``torch`` within a ``with``; what it returns is the call's result."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        raise NotImplementedError

    def __enter__(self):
        from . import _overriding

        _overriding.add("modes")
        _overriding.state.modes = (*_overriding.state.modes, self)
        return self

    def __exit__(self, *_):
        from . import _overriding

        _overriding.state.modes = _overriding.state.modes[:-1]
        _overriding.drop("modes")

    @classmethod
    def push(cls, *args, **kwargs):
        """An instance, for a ``with``."""
        return cls(*args, **kwargs)


class BaseTorchFunctionMode(TorchFunctionMode):
    """A mode that lets every call through."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


@contextlib.contextmanager
def enable_reentrant_dispatch():
    """Within, nothing is different."""
    yield


def wrap_torch_function(dispatcher):
    """Makes a function ask the arguments that ``dispatcher`` picks."""

    def decorate(function):
        @functools.wraps(function)
        def asking(*args, **kwargs):
            relevant = dispatcher(*args, **kwargs)
            if has_torch_function(relevant):
                return handle_torch_function(asking, relevant, *args, **kwargs)
            return function(*args, **kwargs)

        return asking

    return decorate


def get_default_nowrap_functions():
    """Attributes whose value is not made one of the subclass."""
    from ._overriding import nowrap_functions

    return nowrap_functions()


# Functions without tensors among their arguments: nothing can be asked, modes aside.
_IGNORED = (
    "arange", "as_tensor", "asarray", "empty", "eye", "from_numpy", "frombuffer", "full", "get_default_dtype", "initial_seed", "is_grad_enabled",
    "is_tensor", "linspace", "logspace", "manual_seed", "ones", "rand", "randint", "randn", "randperm", "seed", "set_default_dtype", "set_grad_enabled",
    "set_printoptions", "tensor", "tril_indices", "triu_indices", "zeros",
)  # fmt: skip


@functools.lru_cache(None)
def _ignored():
    import rushlight

    return {getattr(rushlight, name) for name in _IGNORED} | {Tensor.__new__, Tensor.__init__, Tensor.__hash__, Tensor.as_subclass}


def get_ignored_functions():
    """Functions that cannot be overridden."""
    return set(_ignored())


@functools.lru_cache(None)
def _overridable():
    import rushlight

    from . import functional
    from ._overriding import _FUNCTIONS_OF_PYTHON, _OWN, _python_functions
    from .nn import functional as F

    found = {rushlight: [], functional: [], F: [], Tensor: []}
    python = {target for _, target in _python_functions()}
    for space in (rushlight, F):
        for name in dir(space):
            function = None if name.startswith("_") else getattr(space, name, None)
            if isinstance(function, Builtin) and name not in _FUNCTIONS_OF_PYTHON or function in _hashable(python):
                found[space].append(function)
    for name in (*_FUNCTIONS_OF_PYTHON, "norm", "stft", "cdist", "tensordot", "unique", "unique_consecutive", "split"):
        if hasattr(rushlight, name):
            found[functional].append(getattr(rushlight, name))
    for space in (rushlight.linalg, rushlight.fft, rushlight.special):
        names = [name for name in dir(space) if not name.startswith("_")]
        found[space] = [each for each in (getattr(space, name, None) for name in names) if isinstance(each, Builtin)]
    ignored = _ignored()
    for name in dir(Tensor):
        value = getattr(Tensor, name)
        if name in _OWN or name in vars(object) and name != "__repr__" or not isinstance(Tensor.__dict__.get(name), object):
            continue
        if callable(value):
            found[Tensor].append(value)
        elif hasattr(value, "__get__"):
            found[Tensor].append(value.__get__)
    return {space: [each for each in functions if each not in ignored] for space, functions in found.items()}


class _hashable:
    """A set that says no to what it cannot hold."""

    def __init__(self, values):
        self.values = values

    def __contains__(self, value):
        return getattr(type(value), "__hash__", None) is not None and value in self.values


def get_overridable_functions():
    """Functions that can be overridden, by namespace."""
    return collections.defaultdict(list, {space: list(functions) for space, functions in _overridable().items()})


def get_testing_overrides():
    """Functions that can be overridden, each with a form that takes anything and gives -1."""
    return {function: lambda *args, **kwargs: -1 for functions in _overridable().values() for function in functions}


def is_tensor_method_or_property(func):
    """Whether a function belongs to the class of tensors."""
    name = getattr(func, "__name__", None)
    return name in ("__get__", "__set__") or name is not None and getattr(Tensor, name, None) is func


def resolve_name(f):
    """The path of a function as programs write it; None where it is none of the library's."""
    name = getattr(f, "__name__", None)
    if name in ("__get__", "__set__", "__delete__"):
        return f"torch.Tensor.{_attribute_name(f.__self__)}.{name}"
    if name is not None and getattr(Tensor, name, None) is f:
        return f"torch.Tensor.{name}"
    if isinstance(f, Builtin) and not f.path.startswith("torch.ops."):
        from .fx._targets import _FUNCTIONAL

        if f.path.rpartition(".")[2] in _FUNCTIONAL:
            return f"torch.functional.{name}"
        from .nn import functional

        if getattr(functional, name, None) is f:
            return f"torch.nn.functional.{name}"
        return f.path.replace("torch._C._nn.", "torch.nn.functional.")
    from .fx._targets import module_of

    if not callable(f) or name is None:
        return None
    home = getattr(f, "__module__", None)
    if home is None or home.partition(".")[0] not in ("torch", "rushlight"):
        return None
    home = module_of(f)
    return f"{'torch' if home == 'torch._rushlight' else home}.{name}"


def _attribute_name(attribute):
    """The name of an attribute of tensors."""
    name = getattr(attribute, "__name__", None)
    if name is not None:
        return name
    return next(name for name in dir(Tensor) if getattr(Tensor, name, None) is attribute)
