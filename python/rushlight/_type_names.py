"""Names of types that programs mention in annotations and ``isinstance``: ``Stream``, ``FloatTensor`` and its kin."""

from . import _rushlight
from ._streams import Stream  # noqa: F401


class _LegacyKind(type):
    """Tensors of one dtype on the CPU, as a class."""

    def __instancecheck__(cls, instance):
        return isinstance(instance, _rushlight.Tensor) and instance.dtype == cls.dtype

    def __call__(cls, *args, **kwargs):
        from ._old_constructors import made

        return made(args, kwargs, cls.dtype)

    def __repr__(cls):
        return f"<class 'torch.{cls.__name__}'>"


class _SparseKind(_LegacyKind):
    """Sparse tensors (COO) of one dtype, as a class."""

    def __instancecheck__(cls, instance):
        return isinstance(instance, _rushlight.Tensor) and instance.is_sparse and instance.dtype == cls.dtype

    def __call__(cls, *args, **kwargs):
        from ._old_constructors import made_sparse

        return made_sparse(args, kwargs, cls.dtype)

    def __repr__(cls):
        return f"<class 'torch.sparse.{cls.__name__}'>"


def sparse_kinds():
    """The classes of sparse tensors by their names."""
    from . import _names

    parts = {"__module__": "torch.sparse", "layout": _names.sparse_coo, "is_sparse": True}
    return {name: _SparseKind(name, (), {**parts, "dtype": kind.dtype}) for name, kind in LEGACY.items() if name != "BoolTensor"}


def _legacy():
    from . import _names

    kinds = {
        "FloatTensor": "float32",
        "DoubleTensor": "float64",
        "HalfTensor": "float16",
        "BFloat16Tensor": "bfloat16",
        "ByteTensor": "uint8",
        "CharTensor": "int8",
        "ShortTensor": "int16",
        "IntTensor": "int32",
        "LongTensor": "int64",
        "BoolTensor": "bool",
    }
    return {
        name: _LegacyKind(name, (), {"dtype": getattr(_names, dtype), "__module__": "torch"}) for name, dtype in kinds.items()
    }


LEGACY = _legacy()
# Short names of dtypes; others are short enough.
SHORT_NAMES = {
    "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64", "int8": "i8", "int16": "i16", "int32": "i32",
    "int64": "i64", "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64", "bool": "b8", "complex32": "c32", "complex64": "c64",
    "complex128": "c128", "float8_e5m2": "f8e5m2", "float8_e4m3fn": "f8e4m3fn", "float8_e5m2fnuz": "f8e5m2fnuz",
    "float8_e4m3fnuz": "f8e4m3fnuz", "float8_e8m0fnu": "f8e8m0fnu",
}
