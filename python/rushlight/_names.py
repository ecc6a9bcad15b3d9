"""Constants of the ``torch`` namespace: dtypes, layouts, memory formats, ``Size``."""

import builtins as _builtins
import functools as _functools
import math as _math

from . import _rushlight

NAMES = {}

for _name in (
    "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64",
    "complex32", "complex64", "complex128", "bool", "bfloat16", "uint16", "uint32", "uint64", "quint8", "qint8", "qint32",
    "float8_e5m2", "float8_e4m3fn", "float8_e5m2fnuz", "float8_e4m3fnuz", "float8_e8m0fnu",
):
    NAMES[_name] = _rushlight.dtype_named(_name)
for _alias, _name in {
    "short": "int16", "int": "int32", "long": "int64", "half": "float16", "float": "float32",
    "double": "float64", "chalf": "complex32", "cfloat": "complex64", "cdouble": "complex128",
}.items():
    NAMES[_alias] = NAMES[_name]


class layout(_rushlight.Code):
    """How the elements of a tensor lie in memory."""

    __slots__ = ()


class memory_format(_rushlight.Code):
    """In which order the dimensions of a tensor follow one another in memory."""

    __slots__ = ()


class qscheme(_rushlight.Code):
    """How numbers are quantized."""

    __slots__ = ()


for _class in (layout, memory_format, qscheme):
    _class.__module__ = "torch"

for _name, _code in {"strided": 0, "sparse_coo": 1, "sparse_csr": 2, "_mkldnn": 3, "sparse_csc": 4, "sparse_bsr": 5, "sparse_bsc": 6, "jagged": 7}.items():
    NAMES[_name] = layout("layout", _name, _code)
for _name, _code in {"contiguous_format": 0, "preserve_format": 1, "channels_last": 2, "channels_last_3d": 3}.items():
    NAMES[_name] = memory_format("memory_format", _name, _code)
NAMES["legacy_contiguous_format"] = NAMES["contiguous_format"]
for _name, _code in {
    "per_tensor_affine": 0, "per_channel_affine": 1, "per_tensor_symmetric": 2, "per_channel_symmetric": 3,
    "per_channel_affine_float_qparams": 4,
}.items():
    NAMES[_name] = qscheme("qscheme", _name, _code)



def named(name):
    """The constant of a name: what pickles say for layouts, memory formats and qschemes."""
    return NAMES[name]


class _PackedDtype:
    """A dtype of several numbers in a byte: a name that configurations may say; no tensor has it here."""

    is_floating_point = is_complex = False
    itemsize = 1

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return "torch." + self.name

    def __reduce__(self):
        return named, (self.name,)


NAMES.update({_name: _PackedDtype(_name) for _name in ("quint4x2", "quint2x4")})
NAMES.update(pi=_math.pi, e=_math.e, inf=_math.inf, nan=_math.nan, newaxis=None)
# What the library is made with.
NAMES.update(has_lapack=True, has_spectral=True, has_mkl=False, has_openmp=False)
globals().update(NAMES)


class Size(tuple):
    """The sizes of a tensor."""

    __slots__ = ()

    def __new__(cls, sizes=()):
        self = tuple.__new__(cls, sizes)
        for size in self:
            if type(size) is not _builtins.int:
                return tuple.__new__(cls, map(_size, range(len(self)), self))
        return self

    def __repr__(self):
        # In a trace sizes are tensors, which show as numbers.
        shown = (_rushlight.number_of(n) if isinstance(n, _rushlight.Tensor) else n for n in self)
        return "torch.Size([" + ", ".join(map(str, shown)) + "])"

    def numel(self):
        """The product of the sizes."""
        return _math.prod(self)

    def __getitem__(self, index):
        found = tuple.__getitem__(self, index)
        return Size(found) if isinstance(index, slice) else found

    def __add__(self, other):
        if not isinstance(other, tuple):
            raise TypeError(f"can only concatenate tuple (not {type(other).__name__}) to torch.Size")
        return Size(tuple.__add__(self, other))

    def __radd__(self, other):
        return Size(other + tuple(self)) if isinstance(other, tuple) else NotImplemented

    def __mul__(self, count):
        return Size(tuple(self) * count)

    __rmul__ = __mul__

    def __reduce__(self):
        return Size, (tuple(self),)

    def __getattr__(self, name):
        raise AttributeError(f"'torch.Size' object has no attribute '{name}'")

    def __init_subclass__(cls, **kwargs):
        raise TypeError("type 'torch.Size' is not an acceptable base type")


def _size(index, size):
    """A size of those that a program gives: a whole number, or in a trace a tensor."""
    if isinstance(size, _builtins.int):
        return size + 0
    if isinstance(size, _rushlight.Tensor):
        if _rushlight.is_tracing() or size.is_meta:
            return size
        if size.numel() == 1 and not (size.is_floating_point() or size.is_complex()):
            return _builtins.int(size)
    elif hasattr(size, "__index__"):
        return size
    kind = type(size)
    name = f"numpy.{kind.__name__}" if kind.__module__ == "numpy" else kind.__name__
    raise TypeError(f"torch.Size() takes an iterable of 'int' (item {index} is '{name}')")


Size.__module__ = "torch"
# What the extension calls has whole numbers already, or tensors in a trace.
_rushlight.register("Size", _functools.partial(tuple.__new__, Size))

__all__ = ["Size", "layout", "memory_format", "qscheme", *NAMES]
