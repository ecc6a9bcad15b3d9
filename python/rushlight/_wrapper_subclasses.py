"""Tensors of classes that programs define around other tensors (``Tensor._make_wrapper_subclass``).

Such a tensor has sizes, a dtype and a device, but no elements: each operator that is called on one is handed to
``__torch_dispatch__`` of its class, which mostly calls it on what the tensor wraps. What is called is not recorded for gradients by
the wrapper; the tensors inside may be. Operators are handed over in threads that have made such tensors, as long as there are any.
"""

import collections
import threading
import weakref

from . import _rushlight

Tensor = _rushlight.Tensor
# How many there are.
_alive = 0


class _Thread(threading.local):
    def __init__(self):
        # The results of the last calls. Operators that are made of others hold tensors, not their objects, between two calls:
        # the objects live as long as that takes.
        self.recent = collections.deque(maxlen=32)


_thread = _Thread()


def make(cls, size, strides=None, storage_offset=None, memory_format=None, dtype=None, layout=None, device=None, pin_memory=False,
         requires_grad=False, **others):  # fmt: skip
    """A tensor of a class that answers operators itself.

    Raises:
        NotImplementedError: for one that requires gradients, or is laid out otherwise than by strides.
        TypeError: for a class that answers no operators.
    """
    import rushlight

    if not handles(cls):
        raise TypeError(f"{cls.__name__} must define __torch_dispatch__")
    if requires_grad:
        raise NotImplementedError("_make_wrapper_subclass: calls on a wrapper are not recorded, so that it cannot require gradients")
    if pin_memory or layout not in (None, rushlight.strided):
        raise NotImplementedError("_make_wrapper_subclass: only tensors with strides, in plain memory, can be wrapped")
    unknown = [name for name, value in others.items() if value is not None]
    if unknown:
        raise NotImplementedError(f"_make_wrapper_subclass: {', '.join(unknown)} cannot be chosen")
    dtype = rushlight.get_default_dtype() if dtype is None else dtype
    from .utils._python_dispatch import _disable_current_modes

    with _disable_current_modes():
        plain = _sized(tuple(size), strides, storage_offset, memory_format, dtype)
    for name, answer in _ANSWERS.items():
        if getattr(cls, name) is getattr(Tensor, name):
            setattr(cls, name, answer)
    out = Tensor.__new__(cls, plain)
    out._device_of_wrapper = rushlight.device("cpu" if device is None else device)
    _rushlight.remember_tensor(out)
    _count(1)
    weakref.finalize(out, _count, -1)
    return out


def _item(self):
    """The number that the class gives for it."""
    import rushlight

    return rushlight.ops.aten._local_scalar_dense.default(self)


def _refuses(name):
    def refuse(self, *args, **kwargs):
        shown = f", got {type(self).__name__}" if name == "tolist" else "."
        raise RuntimeError(f".{name}() is not supported for tensor subclasses{shown}")

    return refuse


def _sized(size, strides, offset, memory_format, dtype):
    import rushlight

    if strides is None:
        plain = rushlight.empty(size, dtype=dtype, device="meta", memory_format=memory_format or rushlight.contiguous_format)
    else:
        plain = rushlight.empty_strided(size, tuple(strides), dtype=dtype, device="meta")
    if not offset:
        return plain
    reach = sum((count - 1) * step for count, step in zip(plain.shape, plain.stride())) if plain.numel() else 0
    whole = rushlight.empty(offset + reach + 1, dtype=dtype, device="meta")
    return whole.as_strided(plain.shape, plain.stride(), offset)


# What is asked of the class, for the tensor underneath is on no device.
_ANSWERS = {
    "device": property(lambda self: self._device_of_wrapper, doc="Where what is wrapped is said to be."),
    "is_meta": property(lambda self: self.device.type == "meta", doc="Whether what is wrapped has no elements."),
    "is_cpu": property(lambda self: self.device.type == "cpu", doc="Whether what is wrapped is on the CPU."),
    "item": _item,
    "__bool__": lambda self: bool(_item(self)),
    "__int__": lambda self: int(_item(self)),
    "__float__": lambda self: float(_item(self)),
    "tolist": _refuses("tolist"),
    "numpy": _refuses("numpy"),
}


def _count(by):
    global _alive
    _alive += by
    from .utils._python_dispatch import look_again

    look_again()


def any_alive():
    """Whether there is a tensor that answers operators itself."""
    return _alive > 0


def handles(cls):
    """Whether a class answers operators."""
    handler = getattr(cls, "__torch_dispatch__", None)
    return handler is not None and cls is not Tensor


def classes_among(values):
    """The classes that answer operators among those of values and what lists of them hold: subclasses before what they come from."""
    found = []
    for value in values:
        for item in value if isinstance(value, (list, tuple)) else (value,):
            kind = type(item)
            if kind is not Tensor and isinstance(item, Tensor) and handles(kind) and kind not in found:
                place = next((i for i, other in enumerate(found) if issubclass(kind, other)), len(found))
                found.insert(place, kind)
    return tuple(found)


def passed(result=None):
    """A call went by that was not asked of a class: its result where a mode gave one."""
    _thread.recent.append(result if _alive else None)


def ask(func, types, args, kwargs):
    """The result of a call by the first class that has one; the tensor itself of a call that writes to it."""
    for kind in types:
        result = kind.__torch_dispatch__(func, types, args, kwargs)
        if result is not NotImplemented:
            _thread.recent.append(result)
            return given_back(func, args, kwargs, result)
    names = "".join(f"\n  - tensor subclass {kind}" for kind in types)
    raise TypeError(
        f"Multiple dispatch failed for 'torch._ops.{func}'; all __torch_dispatch__ handlers returned NotImplemented:\n{names}\n\n"
        "For more information, try re-running with TORCH_LOGS=not_implemented"
    )


def given_back(func, args, kwargs, result):
    """The result of a call; of one that gives back an argument that it writes to, the argument."""
    returns = func._schema.returns
    if len(returns) == 1 and returns[0].alias_info is not None and returns[0].alias_info.is_write:
        for i, argument in enumerate(func._schema.arguments):
            if argument.alias_info is not None and argument.alias_info.is_write:
                return args[i] if i < len(args) else kwargs[argument.name]
    return result
