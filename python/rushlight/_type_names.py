"""Names of types that programs mention in annotations and ``isinstance``: ``Stream``, ``FloatTensor`` and its kin."""

from . import _rushlight


class Stream:
    """An order of work on a device. The CPU has none."""

    def __init__(self, *args, **kwargs):
        raise RuntimeError("the CPU has no streams")


class _LegacyKind(type):
    """Tensors of one dtype on the CPU, as a class."""

    def __instancecheck__(cls, instance):
        return isinstance(instance, _rushlight.Tensor) and instance.dtype == cls.dtype

    def __call__(cls, *args, **kwargs):
        from ._old_constructors import made

        return made(args, kwargs, cls.dtype)

    def __repr__(cls):
        return f"<class 'torch.{cls.__name__}'>"


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
Stream.__module__ = "torch"
