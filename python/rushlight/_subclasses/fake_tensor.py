"""Tensors without elements on devices by name, and the mode that makes them.

A fake tensor wraps a tensor on the device ``meta``, which operators compute sizes and dtypes with. Calls on fake tensors are not
recorded for gradients.
"""

import contextlib

from .. import _rushlight
from ..utils._python_dispatch import TorchDispatchMode, _disable_current_modes
from ..utils._pytree import tree_leaves, tree_map

Tensor = _rushlight.Tensor


class UnsupportedFakeTensorException(RuntimeError):
    """An operator cannot be computed without elements."""


class DynamicOutputShapeException(RuntimeError):
    """The sizes of a result depend on elements."""

    def __init__(self, func):
        super().__init__(str(func))
        self.func = func


class DataDependentOutputException(RuntimeError):
    """A result that is no tensor depends on elements."""

    def __init__(self, func):
        super().__init__(str(func))
        self.func = func


# Operators whose results have as many elements as their arguments say, and those that give numbers.
_DYNAMIC = frozenset((
    "aten::nonzero", "aten::masked_select", "aten::unique_dim", "aten::_unique", "aten::_unique2", "aten::unique_consecutive",
    "aten::bincount", "aten::argwhere",
))  # fmt: skip
_NUMBERS = frozenset(("aten::_local_scalar_dense", "aten::item", "aten::equal", "aten::allclose", "aten::is_nonzero"))


class FakeTensor(Tensor):
    """A tensor without elements that says it is on a device."""

    @staticmethod
    def __new__(cls, fake_mode, elem, device, **_):
        out = Tensor._make_wrapper_subclass(
            cls, elem.shape, strides=elem.stride(), storage_offset=elem.storage_offset(), dtype=elem.dtype, device=device
        )
        out.fake_mode, out._sizes = fake_mode, elem
        return out

    fake_device = property(lambda self: self.device, doc="Where the tensor is said to be.")

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        modes = [v.fake_mode for v in tree_leaves((args, kwargs or {})) if isinstance(v, FakeTensor)]
        return modes[0].dispatch(func, args, kwargs or {})

    def __repr__(self):
        parts = ["..."]
        if self.device.type != "cpu":
            parts.append(f"device='{self.device}'")
        parts.append(f"size={tuple(self.shape)}")
        if self.dtype not in (_rushlight.get_default_dtype(),):
            parts.append(f"dtype={self.dtype}")
        return f"FakeTensor({', '.join(parts)})"

    __str__ = __repr__

    def __format__(self, spec):
        return format(repr(self), spec)

    def cpu(self, *args, **kwargs):
        """A tensor of the same sizes that says it is on the CPU."""
        return self.to("cpu")

    def tolist(self):
        """Raises: there are no elements."""
        return self.item()


class FakeTensorMode(TorchDispatchMode):
    """Within, tensors that are made are fake, and operators on fake tensors give such.

    Args:
        allow_non_fake_inputs: whether operators may be given other tensors too.
    """

    def __init__(self, *, allow_fallback_kernels=True, allow_non_fake_inputs=False, shape_env=None, static_shapes=None, export=False):
        super().__init__()
        if shape_env is not None:
            raise NotImplementedError("FakeTensorMode: sizes are numbers here, so that there is no use for shape_env")
        self.allow_non_fake_inputs = allow_non_fake_inputs

    def from_tensor(self, tensor, **others):
        """A fake tensor with the sizes, dtype and device of a tensor."""
        if isinstance(tensor, FakeTensor):
            return tensor
        with _disable_current_modes():
            return FakeTensor(self, _rushlight.to_meta(tensor.detach()), tensor.device)

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return self.dispatch(func, args, kwargs or {})

    def dispatch(self, func, args, kwargs):
        """The result of a call, computed without elements."""
        tensors = [v for v in tree_leaves((args, kwargs)) if isinstance(v, Tensor)]
        name = func._schema.name
        if name == "aten::lift_fresh" and not isinstance(args[0], FakeTensor):
            return self.from_tensor(args[0])
        real = [t for t in tensors if not isinstance(t, FakeTensor)]
        if not self.allow_non_fake_inputs and any(t.dim() for t in real):
            shown = ", ".join(_shown(v) for v in (*args, *kwargs.values()))
            raise AssertionError(
                "Please convert all Tensors to FakeTensors first or instantiate FakeTensorMode with 'allow_non_fake_inputs'. "
                f"Found in {func}({shown})"
            )
        if name in _NUMBERS:
            raise DataDependentOutputException(func)
        if name in _DYNAMIC:
            raise DynamicOutputShapeException(func)
        args, kwargs, device = _on_meta(func._schema, args, kwargs)
        if device is None:
            device = next((t.device for t in tensors if t.dim()), tensors[0].device if tensors else _default_device())
        with _disable_current_modes():
            found = func(*args, **kwargs)
            return tree_map(lambda v: FakeTensor(self, v, device) if isinstance(v, Tensor) else v, found)


def _default_device():
    from .. import device, get_default_device

    found = get_default_device()
    return device("cpu") if found is None else found


def _on_meta(schema, args, kwargs):
    """The arguments of a call with tensors that have no elements, on that device; and the device that it names."""
    device = None
    args, kwargs = list(args), dict(kwargs)
    for i, argument in enumerate(schema.arguments):
        if argument.name == "device":
            if i < len(args) and not argument.kwarg_only:
                device, args[i] = args[i], "meta"
            else:
                device = kwargs.get("device")
                makes = not any("Tensor" in str(a.type) for a in schema.arguments)
                if device is not None or makes:
                    kwargs["device"] = "meta"

    def plain(value):
        if isinstance(value, FakeTensor):
            return value._sizes
        return _rushlight.to_meta(value.detach()) if isinstance(value, Tensor) and value.dim() else value

    args, kwargs = tree_map(plain, (tuple(args), kwargs))
    from .. import device as _device

    return args, kwargs, None if device is None else _device(device)


def _shown(value):
    if isinstance(value, Tensor) and not isinstance(value, FakeTensor):
        return f"tensor([...], size={tuple(value.shape)})"
    return repr(value)


def is_fake(x):
    """Whether a tensor has no elements of this kind."""
    return isinstance(x, FakeTensor)


def maybe_get_fake_mode(t):
    """The mode that made a tensor; None for others."""
    return t.fake_mode if isinstance(t, FakeTensor) else None


@contextlib.contextmanager
def unset_fake_temporarily():
    """Within, tensors have elements again; gives the mode that was on, or None."""
    from .._guards import detect_fake_mode

    mode = detect_fake_mode()
    if mode is None:
        yield None
    else:
        with _disable_current_modes():
            yield mode


def _is_tensor_constructor(func):
    """Whether an operator makes a tensor of none: its results are tensors, and none of its arguments is."""
    schema = func._schema
    return not any("Tensor" in str(each.type) for each in schema.arguments) and [str(each.type) for each in schema.returns] == ["Tensor"]
