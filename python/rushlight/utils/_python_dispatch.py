"""``torch.utils._python_dispatch``: modes that see every call of an operator on tensors.

A call is handed over before gradients are recorded: what a mode calls in its place is recorded. Operators that PyTorch makes of
others are taken apart first (`_compositions`), also when a run backwards calls them. Tensors that answer operators themselves
(`_wrapper_subclasses`) are asked after all modes.
"""

import contextlib
import sys
import threading

from .. import _rushlight, _wrapper_subclasses as _wrappers
from .._names import NAMES
from ..autograd import _engine
from . import _composed_others, _composed_products, _composed_recurrent, _compositions  # noqa: F401  rules add themselves


class _Thread(threading.local):
    def __init__(self):
        self.modes = []
        # Whether operators are handed over.
        self.on = False


_thread = _Thread()


def look_again():
    """Operators of this thread are handed over while there is a mode, or a tensor that answers them."""
    wanted = bool(_thread.modes) or _wrappers.any_alive()
    if wanted != _thread.on:
        _rushlight.set_dispatching(wanted)
        _thread.on = wanted


class TorchDispatchMode:
    """Sees every call of an operator on tensors inside of a ``with``: ``__torch_dispatch__(func, types, args, kwargs)`` gives
    the result, mostly by calling ``func(*args, **kwargs)``, which modes further out see."""

    def __init__(self, _dispatch_key=None):
        self._outer = None

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        raise NotImplementedError

    def __enter__(self):
        _thread.modes.append(self)
        try:
            look_again()
        except BaseException:
            _thread.modes.pop()
            raise
        return self

    def __exit__(self, *_):
        _thread.modes.pop()
        look_again()

    @classmethod
    def push(cls, *args, **kwargs):
        """A mode of the class."""
        return cls(*args, **kwargs)


class BaseTorchDispatchMode(TorchDispatchMode):
    """A mode that lets every operator through."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


def _overload(full):
    from .._namespaces import NAMESPACES

    name, _, overload = full.partition(".")
    space, name = name.split("::")
    return getattr(getattr(getattr(NAMESPACES["ops"], space), name), overload or "default")


def _named(argument, value):
    """A memory format or a layout, which operators have as numbers, as the constant that it is to programs."""
    names = _NAMES.get(argument.name)
    return NAMES[names[value]] if names is not None and type(value) is int and value < len(names) else value


# What schemas call `long`.
_INT64 = _rushlight.dtype("int64")

# The constants behind the numbers, by the names that such arguments have in all schemas.
_NAMES = {
    "memory_format": ("contiguous_format", "preserve_format", "channels_last", "channels_last_3d"),
    "layout": ("strided", "sparse_coo", "sparse_csr", "_mkldnn", "sparse_csc", "sparse_bsr", "sparse_bsc", "jagged"),
}


def _of_python(schema, values):
    """The values of a call from Python, where functions that make tensors say where they are made and in which memory."""
    names = [argument.name for argument in schema.arguments]
    if "pin_memory" not in names or schema.name == "aten::to":
        return values
    values = [False if name == "pin_memory" and value is None else value for name, value in zip(names, values)]
    if isinstance(values[0], _rushlight.Tensor):
        return values
    return [_rushlight.get_default_device() if name == "device" and value is None else value for name, value in zip(names, values)]


def _given(schema, values):
    """The values of all arguments as a call gives them: without what is as it would be without being given."""
    args, kwargs = [], {}
    for argument, value in zip(schema.arguments, values):
        if not argument.kwarg_only:
            args.append(value)
        elif not _is_default(argument, value):
            kwargs[argument.name] = value
    places = [a for a in schema.arguments if not a.kwarg_only]
    while args and _is_default(places[len(args) - 1], args[-1]):
        args.pop()
    return tuple(args), kwargs


def _is_default(argument, value):
    if not argument.has_default_value() or isinstance(value, _rushlight.Tensor):
        return False
    default = argument.default_value
    if argument.name == "dtype" and type(default) is int:
        default = _INT64 if default == 4 else default
    return value is default or type(value) is type(default) and value == default


def _dispatch(full, values):
    """Hands a call to the innermost mode; what others make up is taken apart first."""
    modes = _thread.modes
    types = _wrappers.classes_among(values) if _wrappers.any_alive() else ()
    if not modes and not types:
        _wrappers.passed()
        look_again()
        return NotImplemented
    exact, _compositions.exact.name = _compositions.exact.name, None
    full = exact or full
    if full == "aten::clone" and modes and sys._getframe(1).f_code is _engine.run.__code__:
        # The end of a run backwards, which adds to ``.grad``.
        kept = _compositions.kept_gradient(values[0])
        with _disable_current_modes():
            return kept.clone()
    func = _overload(full)
    schema = func._schema
    values = [_named(argument, value) for argument, value in zip(schema.arguments, values)]
    rule = _compositions.RULES.get(full)
    if rule is not None:
        result = rule(*values)
        if result is not NotImplemented:
            return result
    if exact is None:
        values = _of_python(schema, values)
    args, kwargs = _given(schema, values)
    if not modes:
        return _wrappers.ask(func, types, args, kwargs)
    return _ask_mode(func, types, args, kwargs)


def _ask_mode(func, types, args, kwargs):
    modes = _thread.modes
    mode = modes.pop()
    look_again()
    try:
        result = mode.__torch_dispatch__(func, types, args, kwargs)
        _wrappers.passed(result)
        return _wrappers.given_back(func, args, kwargs, result)
    finally:
        modes.append(mode)
        look_again()


def looks_at(defined):
    """Whether there is a mode that sees calls of an operator that Python defines."""
    if not _thread.modes:
        return False
    implicit = "CompositeImplicitAutograd" in defined.kernels and "CPU" not in defined.kernels
    return defined.is_seen or not implicit


def hand_over(func, values):
    """What the innermost mode gives for a call of an operator that Python defines."""
    args, kwargs = _given(func._schema, values)
    return _ask_mode(func, (), args, kwargs)


_rushlight.register("dispatch_call", _dispatch)


def _get_current_dispatch_mode():
    """The innermost mode at work; None where there is none."""
    return _thread.modes[-1] if _thread.modes else None


def _get_current_dispatch_mode_stack():
    """The modes at work, outermost first."""
    return list(_thread.modes)


@contextlib.contextmanager
def _disable_current_modes():
    """Within, no mode is at work."""
    resting, _thread.modes = _thread.modes, []
    look_again()
    try:
        yield resting
    finally:
        _thread.modes = resting
        look_again()


def is_traceable_wrapper_subclass(t):
    """Whether a tensor is made of others and says how: ``__tensor_flatten__`` and ``__tensor_unflatten__``."""
    return isinstance(t, _rushlight.Tensor) and is_traceable_wrapper_subclass_type(type(t))


def is_traceable_wrapper_subclass_type(t):
    """Whether tensors of a class are made of others, and say how."""
    own = t is not _rushlight.Tensor and issubclass(t, _rushlight.Tensor)
    return own and hasattr(t, "__tensor_flatten__") and hasattr(t, "__tensor_unflatten__")


def return_and_correct_aliasing(func, args, kwargs, out):
    """The result, as it is: memory is shared by the operators themselves."""
    return out
