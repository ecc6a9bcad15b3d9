"""What ``torch.FloatTensor(...)``, its kin and ``tensor.new(...)`` take: sizes, elements, another tensor or a storage."""

import operator

from . import _rushlight
from ._names import Size
from ._once import warn_once
from ._rushlight import Tensor

_alias = _rushlight.Builtin("aten::alias", "torch.alias")
_FORMS = (
    ("*, torch.device device = None", ("device",)),
    ("torch.Storage storage", ("storage",)),
    ("Tensor other", ("other",)),
    ("tuple of ints size, *, torch.device device = None", ("size", "device")),
    ("object data, *, torch.device device = None", ("data", "device")),
)
_KNOWN = {name for _, names in _FORMS for name in names}
_TENSOR_OPTIONS = (
    "TensorOptions(dtype={}, device=cpu, layout=Strided, requires_grad=false (default), pinned_memory=false (default), "
    "memory_format=(nullopt))"
)
# What dtypes are called where options are shown.
_SHOWN = {
    "float32": "float", "float64": "double", "float16": "c10::Half", "bfloat16": "c10::BFloat16", "uint8": "unsigned char",
    "int8": "signed char", "int16": "short int", "int32": "int", "int64": "long int", "bool": "bool",
}


def made(args, kwargs, dtype, home="cpu"):
    """A tensor of a dtype on a device from the arguments of an old constructor.

    Raises:
        TypeError: for what is none of these.
        RuntimeError: for sizes below zero, and for other devices.
    """
    kwargs = dict(kwargs)
    device = kwargs.pop("device", None)
    if set(kwargs) - _KNOWN or len(args) + len(kwargs) > 1 and not _is_size(args):
        raise TypeError(_combination(args, kwargs))
    kind = _rushlight.device(device).type if device is not None else home
    if kind != home:
        raise RuntimeError(f"legacy constructor expects device type: {home} but device type: {kind} was passed")
    if not args and not kwargs:
        return _sized((0,), dtype, home)
    if "size" in kwargs:
        return _sized(kwargs["size"], dtype, home)
    if _is_size(args):
        return _sized(args, dtype, home)
    (value,) = args or kwargs.values()
    if isinstance(value, Size):
        return _sized(value, dtype, home)
    if isinstance(value, Tensor):
        if value.dtype != dtype:
            wanted, given = (_TENSOR_OPTIONS.format(_SHOWN.get(each.name, each.name)) for each in (dtype, value.dtype))
            raise TypeError(f"expected {wanted} (got {given})")
        return _alias(value)
    from .storage import TypedStorage, UntypedStorage

    if isinstance(value, (TypedStorage, UntypedStorage)):
        return _sized((0,), dtype, home).set_(value)
    if isinstance(value, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{_rushlight.shown_type(value)}'")
    if isinstance(value, (dict, set, frozenset, type)) or not hasattr(value, "__getitem__") or hasattr(value, "dtype") and not value.shape:
        raise TypeError(f"new(): data must be a sequence (got {_rushlight.shown_type(value)})")
    if _rushlight.is_tracing():
        return _rushlight.traced_as_tensor(value, dtype)
    return _rushlight.tensor(value, dtype=dtype, device=home)


_SPARSE_FORMS = (
    "*, torch.device device = None", "Tensor indices, Tensor values, *, torch.device device = None",
    "Tensor indices, Tensor values, tuple of ints size, *, torch.device device = None",
    "tuple of ints size, *, torch.device device = None",
)


def made_sparse(args, kwargs, dtype):
    """A sparse tensor of a dtype from the arguments of an old constructor: sizes, or places, values and sizes.

    Raises:
        TypeError: for what is none of these.
        RuntimeError: for other devices.
    """
    from ._sparse._makers import sparse_coo_tensor

    kwargs = dict(kwargs)
    device = kwargs.pop("device", None)
    home = "cpu" if device is None else _rushlight.device(device).type
    if home != "cpu":
        raise RuntimeError(f"legacy constructor expects device type: cpu but device type: {home} was passed")
    if args and all(isinstance(each, Tensor) for each in args[:2]) and len(args) > 1:
        if args[0].dtype.name != "int64":
            found = args[0].type().removeprefix("torch.").removesuffix("Tensor")
            raise RuntimeError(f"expected scalar type Long but found {found}")
        _old_maker("indices, values" if len(args) == 2 else "indices, values, shape")
        return sparse_coo_tensor(*args, check_invariants=False, **kwargs)
    if len(args) == 1 and isinstance(args[0], (list, tuple)) and all(hasattr(each, "__index__") for each in args[0]):
        if not isinstance(args[0], Size):
            raise TypeError(
                "torch.sparse.SparseTensor(sequence) only accepts sizes.  Please use torch.sparse_coo_tensor() or construct a "
                "strided tensor and convert it to sparse via to_sparse."
            )
        _old_maker("shape")
        return sparse_coo_tensor(size=tuple(args[0]), dtype=dtype, check_invariants=False)
    if kwargs or args and not _is_size(args):
        given = ", ".join([*map(_rushlight.shown_type, args), *(f"{name}={_rushlight.shown_type(value)}" for name, value in kwargs.items())])
        forms = "\n".join(f" * ({form})" for form in _SPARSE_FORMS)
        raise TypeError(f"new() received an invalid combination of arguments - got ({given}), but expected one of:\n{forms}\n")
    _old_maker("shape" if args else "")
    return sparse_coo_tensor(size=tuple(map(operator.index, args)) or (0,), dtype=dtype, check_invariants=False)


def _old_maker(given):
    """Says, once for each form, what makes sparse tensors today."""
    old, new = (f"{given}, *, device=", f"{given}, dtype=, device=") if given else ("", "(0,), dtype=")
    warn_once(
        f"torch.sparse.SparseTensor({old}) is deprecated.  Please use torch.sparse_coo_tensor({new}).", stacklevel=None,
    )  # fmt: skip


def _is_size(args):
    if len(args) > 1 and isinstance(args[0], Tensor):
        # Sizes that a trace follows are such.
        return args[0].numel() == 1 and not (args[0].is_floating_point() or args[0].is_complex())
    return bool(args) and not isinstance(args[0], (bool, Tensor)) and hasattr(args[0], "__index__") and not _has_elements(args[0])


def _has_elements(value):
    return bool(getattr(value, "shape", ()))


def _sized(sizes, dtype, home):
    """A tensor of sizes; what it holds is not said."""
    numbers = []
    for i, size in enumerate(sizes):
        try:
            numbers.append(operator.index(size))
        except TypeError:
            raise TypeError(
                f"new(): argument 'size' failed to unpack the object at pos {i + 1} with error \"type must be tuple of ints,but got "
                f'{_rushlight.shown_type(size)}"'
            ) from None
    negative = next((n for n in numbers if n < 0), None)
    if negative is not None:
        raise RuntimeError(f"Trying to create tensor with negative dimension {negative}: {numbers}")
    from . import empty, ops, strided

    if _rushlight.is_tracing():
        # Traces show which layout, and nothing of memory for devices.
        return ops.aten.empty.memory_format(numbers, dtype=dtype, layout=strided, device=home)
    return empty(numbers, dtype=dtype, device=home)


def _shown(value):
    if isinstance(value, (list, tuple)) and value:
        return f"{type(value).__name__} of [{', '.join(_rushlight.shown_type(each) for each in value)}]"
    return _rushlight.shown_type(value)


def _combination(args, kwargs):
    """That the arguments are none of the combinations there are."""
    given = ", ".join([*map(_rushlight.shown_type, args), *(f"{name}={_rushlight.shown_type(value)}" for name, value in kwargs.items())])
    unknown = [name for name in kwargs if name not in _KNOWN]
    if unknown:
        why = f"      didn't match because some of the keywords were incorrect: {', '.join(unknown)}"
    else:
        wrong = ", ".join(f"!{_shown(value)}!" for value in (*args, *kwargs.values()))
        why = f"      didn't match because some of the arguments have invalid types: ({wrong})"
    lines = []
    for form, names in _FORMS:
        lines.append(f" * ({form})")
        if len(names) == 1 and form.startswith("*") == bool(args):
            lines.append(why)
    trailing = ", " if kwargs and not args else ""
    return "\n".join([f"new() received an invalid combination of arguments - got ({given}{trailing}), but expected one of:", *lines, ""])
