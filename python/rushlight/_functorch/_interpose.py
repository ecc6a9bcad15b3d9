"""While a ``vmap`` runs, calls of operators look for batched tensors among their arguments.

Operators are objects of the extension. As long as any ``vmap`` runs, their call is replaced by one that sends calls with
batched tensors to :mod:`_dispatch` and random ones to the rules of randomness; when the last has ended, everything is as before
and costs nothing.
"""

import threading

from .. import _rushlight
from ._batched import COMPARISONS, IN_PLACE, OPERATORS, Batched, Tensor
from ._dispatch import dispatch
from ._levels import batches
from .rules import dependent, index, layers, linear_algebra, losses, pointwise, products, reduce, shape  # noqa: F401  their rules
from .rules import random as _random

Builtin = _rushlight.Builtin
Method = type(Tensor.__dict__["add"])
Attribute = type(Tensor.__dict__["T"])
_ATTRIBUTES = frozenset(("T", "mT", "H", "mH", "real", "imag"))
# Methods by another name than their operator.
_RENAMED = {
    "nelement": "numel", "ndimension": "dim", "T": "numpy_T", "H": "matrix_H",
    "float": "to", "double": "to", "half": "to", "bfloat16": "to", "int": "to", "long": "to", "short": "to", "char": "to",
    "byte": "to", "bool": "to", "cfloat": "to", "cdouble": "to",
}
# What stood where this module put something of its own, by class and name: the extension's, or what others put there.
_below = {}
# The same for operators and methods of tensors, which are called most.
_plain_call = Builtin.__dict__["__call__"]
_plain_get = Method.__dict__["__get__"]


def has_batched(objects):
    """Whether an object, or one in a list among them, is batched."""
    for obj in objects:
        kind = type(obj)
        if kind is Batched:
            return True
        if (kind is tuple or kind is list) and has_batched(obj):
            return True
    return False


def _call(self, *args, **kwargs):
    """Calls an operator."""
    if has_batched(args) or kwargs and has_batched(kwargs.values()):
        return dispatch(self.operator, self, args, kwargs)
    name = self.operator
    if name in _random.OPERATORS:
        found = _random.unbatched(name, self, args, kwargs)
        if found is not _random.PLAIN:
            return found
    return _plain_call(self, *args, **kwargs)


def _method_caller(name):
    """What calls a method on whatever stands for the tensor."""
    if name in _ATTRIBUTES:

        def call(tensor):
            return getattr(tensor, name)

    else:

        def call(tensor, *args, **kwargs):
            return getattr(tensor, name)(*args, **kwargs)

    call.__name__ = name
    return call


_CALLERS = {}


def caller(name):
    """:func:`_method_caller`, made once."""
    found = _CALLERS.get(name)
    if found is None:
        found = _CALLERS[name] = _method_caller(name)
    return found


def call_method(name, args, kwargs):
    """A method of tensors, some of which are batched."""
    return dispatch("aten::" + _RENAMED.get(name, name), caller(name), args, kwargs)


class _Bound:
    """A method of a plain tensor, whose arguments may be batched."""

    __slots__ = ("method", "tensor")

    def __init__(self, method, tensor):
        self.method = method
        self.tensor = tensor

    def __call__(self, *args, **kwargs):
        if has_batched(args) or kwargs and has_batched(kwargs.values()):
            return call_method(self.method.__name__, (self.tensor, *args), kwargs)
        name = "aten::" + self.method.__name__
        if name in _random.OPERATORS:
            found = _random.unbatched(name, caller(self.method.__name__), (self.tensor, *args), kwargs)
            if found is not _random.PLAIN:
                return found
        found = _plain_get(self.method, self.tensor)
        # What others put in the place of methods looks at the arguments itself.
        return _plain_call(found, *args, **kwargs) if type(found) is Builtin else found(*args, **kwargs)

    def __getattr__(self, name):
        return getattr(_plain_get(self.method, self.tensor), name)


def _get(self, tensor, owner=None):
    """A method of a tensor."""
    if tensor is None:
        return self
    name = self.__name__
    if name in _RENAMED:
        return _plain_get(self, tensor, owner)
    return _Bound(self, tensor)


def _method_call(self, *args, **kwargs):
    """A method called as a function: ``Tensor.add(x, y)``."""
    if has_batched(args) or kwargs and has_batched(kwargs.values()):
        return call_method(self.__name__, args, kwargs)
    return _below[Method, "__call__"](self, *args, **kwargs)


def _bound(name, tensor):
    """What stood in the class of tensors, as a method of one."""
    return _below[Tensor, name].__get__(tensor, Tensor)


def _written(name, function):
    def method(self, other):
        if type(other) is Batched:
            return dispatch("aten::" + name, function, (self, other), {})
        return _bound(name, self)(other)

    return method


def _getitem(self, index):
    if type(index) is Batched or (type(index) in (tuple, list) and has_batched(index)):
        return dispatch("aten::__getitem__", getitem, (self, index), {})
    return _bound("__getitem__", self)(index)


def _setitem(self, index, value):
    if type(value) is Batched or type(index) is Batched or (type(index) in (tuple, list) and has_batched(index)):
        dispatch("aten::__setitem__", setitem, (self, index, value), {})
    else:
        _bound("__setitem__", self)(index, value)


def getitem(tensor, index):
    """``tensor[index]``."""
    return tensor[index]


def setitem(tensor, index, value):
    """``tensor[index] = value``."""
    tensor[index] = value


def where(tensor, condition, other):
    """``tensor.where(condition, other)``."""
    return tensor.where(condition, other)


def _where(self, condition, other):
    if type(condition) is Batched or type(other) is Batched:
        import rushlight

        return rushlight.where(condition, self, other)
    return _bound("where", self)(condition, other)


def _scripted(kind):
    """A compiled function: called sample by sample."""

    def call(self, *args, **kwargs):
        plain = _below[kind, "__call__"]
        if has_batched(args) or kwargs and has_batched(kwargs.values()):
            return dispatch("script", lambda *a, **k: plain(self, *a, **k), args, kwargs)
        return plain(self, *args, **kwargs)

    return call


def _give_methods():
    """Gives the class of batched tensors the methods that are operators, and those of Python's own operators."""

    def method(name):
        def call(self, *args, **kwargs):
            return call_method(name, (self, *args), kwargs)

        call.__name__ = name
        return call

    def operator_of(name, function, reverse=False):
        full = "aten::" + name

        def call(self, other):
            args = (other, self) if reverse else (self, other)
            return dispatch(full, function, args, {})

        return call

    # Not for attributes that are made by hand.
    own = set(vars(Batched))
    for name, member in list(Tensor.__dict__.items()):
        if isinstance(member, (Method, Attribute)) and name not in own:
            function = method(name)
            setattr(Batched, name, property(function) if name in _ATTRIBUTES else function)
    aten = {"truediv": "div", "floordiv": "floor_divide", "mod": "remainder", "and": "bitwise_and", "or": "bitwise_or",
            "xor": "bitwise_xor", "lshift": "bitwise_left_shift", "rshift": "bitwise_right_shift"}
    for name, function in OPERATORS.items():
        operator = aten.get(name, name)
        setattr(Batched, f"__{name}__", operator_of(operator, function))
        setattr(Batched, f"__r{name}__", operator_of(operator, function, reverse=True))
    for name, function in COMPARISONS.items():
        setattr(Batched, f"__{name}__", operator_of(name, function))
    for name, function in IN_PLACE.items():
        setattr(Batched, f"__{name}__", operator_of(f"__{name}__", function))
    for name in ("neg", "pos", "abs", "invert"):
        full = "aten::" + {"invert": "bitwise_not", "pos": "positive"}.get(name, name)
        setattr(Batched, f"__{name}__", lambda self, full=full, name=name: dispatch(full, _UNARY[name], (self,), {}))
    Batched.__getitem__ = lambda self, index: dispatch("aten::__getitem__", getitem, (self, index), {})
    Batched.__setitem__ = lambda self, index, value: dispatch("aten::__setitem__", setitem, (self, index, value), {}) and None
    Batched.where = _where
    Batched.cpu = lambda self, *a, **k: self
    for name in ("new_tensor", "type", "numpy_T"):
        setattr(Batched, name, method(name))

    def missing(self, name):
        if name.startswith("__") or not _rushlight.has_operator("aten::" + name):
            raise AttributeError(f"'Tensor' object has no attribute '{name}'")
        return lambda *args, **kwargs: call_method(name, (self, *args), kwargs)

    Batched.__getattr__ = missing


def _unary():
    import operator

    return {"neg": operator.neg, "pos": operator.pos, "abs": operator.abs, "invert": operator.invert}


_UNARY = _unary()
_give_methods()
_rushlight.register("Batched", Batched)

# What is replaced while a vmap runs: the class, the name, and by what.
_REPLACED = [(Builtin, "__call__", _call), (Method, "__get__", _get), (Method, "__call__", _method_call)]
_REPLACED += [(Tensor, f"__{name}__", _written(f"__{name}__", function)) for name, function in IN_PLACE.items()]
_REPLACED += [(Tensor, "__getitem__", _getitem), (Tensor, "__setitem__", _setitem), (Tensor, "where", _where)]
_REPLACED += [
    (kind, "__call__", _scripted(kind)) for kind in (_rushlight.ScriptFunction, _rushlight.ScriptMethod)
]
_lock = threading.Lock()
_running = 0


def _install():
    global _plain_call, _plain_get
    for kind, name, function in _REPLACED:
        before = kind.__dict__[name]
        if before is not function:
            _below[kind, name] = before
            setattr(kind, name, function)
    _plain_call, _plain_get = _below[Builtin, "__call__"], _below[Method, "__get__"]


def _remove():
    for kind, name, function in _REPLACED:
        # What others have put on top meanwhile stays; below it, ours hands calls on.
        if kind.__dict__[name] is function:
            setattr(kind, name, _below[kind, name])


class interposed:
    """As long as it is entered, operators look for batched tensors."""

    def __enter__(self):
        global _running
        with _lock:
            _running += 1
            if _running == 1:
                _install()

    def __exit__(self, *_):
        global _running
        with _lock:
            _running -= 1
            if _running == 0:
                _remove()


__all__ = ["batches", "caller", "has_batched", "interposed"]
