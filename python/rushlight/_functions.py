"""Functions of the ``torch`` namespace that are no operators."""

import sys
import warnings

from . import _rushlight
from ._arity import parsed
from ._names import NAMES
from ._once import warn_once
from ._rushlight import Tensor, device as torch_device, dtype

__all__ = [
    "is_tensor", "is_floating_point", "is_complex", "numel", "from_numpy", "from_dlpack", "to_dlpack", "as_tensor", "get_rng_state", "set_rng_state",
    "frombuffer", "asarray", "set_num_threads", "get_num_threads", "compile", "typename", "split", "chunk", "seed", "iinfo", "finfo", "get_device_module",
    "_assert", "_convert_indices_from_coo_to_csr", "_convert_indices_from_csr_to_coo", "nonzero",
]


def is_tensor(obj):
    """Whether an object is a tensor."""
    return isinstance(obj, Tensor)


def _check_tensor(name, input):
    if not isinstance(input, Tensor):
        raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")


@parsed
def is_floating_point(input):
    """Whether the elements are real floats."""
    _check_tensor("is_floating_point", input)
    return input.dtype.is_floating_point


@parsed
def is_complex(input):
    """Whether the elements are complex."""
    _check_tensor("is_complex", input)
    return input.dtype.is_complex


def _assert(condition, message):
    """Raises ``AssertionError`` with a message where a condition does not hold."""
    assert condition, message


@parsed
def numel(input):
    """The number of elements."""
    _check_tensor("numel", input)
    return input.numel()


def _warn_of_read_only(array):
    """Says, once in a program, that writes to a tensor would go to an array that may not be written."""
    if not array.flags.writeable:
        warn_once(
            "The given NumPy array is not writable, and PyTorch does not support non-writable tensors. This means writing to this "
            "tensor will result in undefined behavior. You may want to copy the array to protect its data or make it writable before "
            "converting it to a tensor. This type of warning will be suppressed for the rest of this program.", stacklevel=3,
        )  # fmt: skip


def from_numpy(array):
    """A tensor over the memory of a numpy array, without a copy."""
    tensor = _rushlight.from_usual_array(array)
    if tensor is not None:
        return tensor
    numpy = sys.modules.get("numpy")
    if numpy is None or not isinstance(array, numpy.ndarray):
        kind = type(array)
        name = f"numpy.{kind.__name__}" if kind.__module__ == "numpy" else kind.__name__
        raise TypeError(f"expected np.ndarray (got {name})")
    if not array.dtype.isnative:
        raise ValueError(
            "given numpy array has byte order different from the native byte order. Conversion between byte orders is currently not "
            "supported."
        )
    _warn_of_read_only(array)
    tensor = _rushlight.from_array(array)
    if _rushlight.is_tracing():
        _rushlight.tracer_warning("from_numpy")
        return _rushlight.Builtin("aten::lift_fresh", "torch.lift_fresh")(tensor)
    return tensor


class _Memory:
    """The memory behind a buffer of Python, as arrays show theirs."""

    def __init__(self, buffer, offset, length):
        import ctypes

        # What keeps the buffer from being moved as long as the tensor is there.
        self._held = (ctypes.c_char * length).from_buffer(buffer, offset)
        address = ctypes.addressof(self._held)
        self.__array_interface__ = {"data": (address, False), "shape": (length,), "typestr": "|u1", "version": 3}


@parsed
def frombuffer(buffer, *, dtype, count=-1, offset=0, requires_grad=False):
    """A tensor over the memory of a buffer, without a copy; of one that cannot be written, over a copy."""
    try:
        view = memoryview(buffer).cast("B")
    except TypeError:
        raise ValueError("object does not implement Python buffer protocol.") from None
    size, length = dtype.itemsize, len(view)
    if length == 0 or count == 0:
        raise ValueError(f"both buffer length ({length}) and count ({count}) must not be 0")
    if not 0 <= offset < length:
        raise ValueError(
            f"offset ({offset} bytes) must be non-negative and no greater than buffer length ({length} bytes) minus 1"
        )
    if count > 0 and offset + count * size > length:
        raise ValueError(
            f"requested buffer length ({count} * {size} bytes) after offset ({offset} bytes) must not be greater than actual "
            f"buffer length ({length} bytes)"
        )
    if count <= 0:
        if (length - offset) % size != 0:
            raise ValueError(
                f"buffer length ({length - offset} bytes) after offset ({offset} bytes) must be a multiple of element size "
                f"({size})"
            )
        count = (length - offset) // size
    if view.readonly:
        warnings.warn(
            "The given buffer is not writable, and PyTorch does not support non-writable tensors. This means you can write to "
            "the underlying (supposedly non-writable) buffer using the tensor. You may want to copy the buffer to protect its "
            "data or make it writable before converting it to a tensor. This type of warning will be suppressed for the rest "
            "of this program.",
            stacklevel=2,
        )
        view = memoryview(bytearray(view))
    tensor = _rushlight.from_array(_Memory(view, offset, count * size)).view(dtype)
    return tensor.requires_grad_() if requires_grad else tensor


from_dlpack = _rushlight.from_dlpack


def to_dlpack(data):
    """A capsule with the memory of a tensor; that it may require gradients is lost."""
    if not isinstance(data, Tensor):
        raise TypeError(f"_to_dlpack(): argument 'data' (position 1) must be Tensor, not {type(data).__name__}")
    return _rushlight.to_dlpack(data.detach())


def _shown_array(obj):
    """The array of NumPy that an object is, or None.

    A number of NumPy shows memory that is gone once it was asked for: it becomes an array that lives on. Objects that only say where
    their memory is are not taken at their word.
    """
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return None
    if isinstance(obj, numpy.ndarray):
        return obj
    return obj.__array__() if isinstance(obj, numpy.generic) else None


@parsed
def as_tensor(data, dtype=None, device=None):
    """The data as a tensor, without a copy where that is possible."""
    if _rushlight.is_tracing():
        return _rushlight.traced_as_tensor(data, dtype, "as_tensor")
    if isinstance(data, Tensor):
        return data.to(dtype=dtype, device=device)
    array = _shown_array(data)
    if array is None:
        return _rushlight.tensor(data, dtype=dtype, device=device)
    _warn_of_read_only(array)
    return _rushlight.from_array(array).to(dtype=dtype, device=device)


@parsed
def asarray(obj, *, dtype=None, device=None, copy=None, requires_grad=False):
    """A tensor of what has elements: tensors, arrays, buffers, storages, numbers. Without a copy where that is possible.

    ``copy``: True for one in any case, False for an error where one would be needed.
    """
    if hasattr(obj, "untyped") and hasattr(obj, "nbytes"):
        found = obj.untyped()._all()
        found = found if dtype is None or dtype.name == "uint8" else found.view(dtype)
        shares = True
    elif isinstance(obj, Tensor) or (array := _shown_array(obj)) is not None:
        if copy is False and not isinstance(obj, Tensor) and array is not obj:
            raise RuntimeError("can't alias NumPy scalars. Either remove copy=False or transform it in a ndarray. ")
        found = obj if isinstance(obj, Tensor) else _rushlight.from_array(array)
        shares = dtype is None or dtype == found.dtype
        found = found if shares else found.to(dtype)
    elif hasattr(obj, "__dlpack__"):
        found, shares = _rushlight.from_dlpack(obj), True
    elif isinstance(obj, (bytes, bytearray, memoryview)):
        found, shares = frombuffer(obj, dtype=dtype or _rushlight.get_default_dtype()), True
    else:
        make = _rushlight.traced_as_tensor if _rushlight.is_tracing() else _rushlight.tensor
        found, shares = make(obj, dtype=dtype), False
        if copy is False:
            raise ValueError("can't alias arbitrary sequence into a tensor.")
    if copy is False and not shares:
        raise ValueError(f"can't alias tensor with dtype '{found.dtype}' into dtype '{dtype}'.")
    if device is not None and torch_device(device).type != found.device.type:
        if copy is False:
            raise ValueError(f"can't alias tensor from device '{found.device}' to '{torch_device(device)}'.")
        found, shares = found.to(device), False
    if copy and shares:
        found = found.clone()
    if isinstance(obj, Tensor) and not requires_grad:
        return found.detach() if found.requires_grad else found
    return found.requires_grad_() if requires_grad else found


def split(tensor, split_size_or_sections, dim=0):
    """The parts of a tensor along a dimension."""
    if isinstance(split_size_or_sections, (int, Tensor)) and getattr(split_size_or_sections, "ndim", 0) == 0:
        return tuple(_rushlight.Builtin("aten::split", "torch.split")(tensor, split_size_or_sections, dim))
    return tuple(_rushlight.Builtin("aten::split_with_sizes", "torch.split_with_sizes")(tensor, split_size_or_sections, dim))


@parsed
def chunk(input, chunks, dim=0):
    """A number of parts of a tensor along a dimension."""
    return tuple(_rushlight.Builtin("aten::chunk", "torch.chunk")(input, chunks, dim))


@parsed
def nonzero(input, *, as_tuple=False, out=None):
    """Where the elements are not zero: [count, dimensions], or (``as_tuple``) the indices of each dimension."""
    if not isinstance(as_tuple, bool):
        raise TypeError(f"nonzero(): argument 'as_tuple' must be bool, not {type(as_tuple).__name__}")
    if as_tuple:
        return tuple(_rushlight.Builtin("aten::nonzero_numpy", "torch.nonzero")(input))
    operator = _rushlight.Builtin("aten::nonzero", "torch.nonzero")
    return operator(input) if out is None else operator(input, out=out)


def _convert_indices_from_coo_to_csr(input, size, *, out_int32=False):
    """Where each row begins, given the row of each element in order: ``size`` + 1 ints."""
    counts = _rushlight.Builtin("aten::bincount", "torch.bincount")(input, minlength=size)
    ends = counts.cumsum(0)
    starts = ends.new_zeros(size + 1)
    starts[1:] = ends
    return starts.to(NAMES["int32" if out_int32 else "int64"])


def _convert_indices_from_csr_to_coo(crow_indices, col_indices, *, out_int32=False, transpose=False):
    """The row and the column of each element, [2, count], given where each row begins."""
    counts = crow_indices[1:] - crow_indices[:-1]
    numbers = _rushlight.Builtin("aten::arange", "torch.arange")(counts.shape[0])
    rows = numbers.repeat_interleave(counts)
    pair = [col_indices, rows] if transpose else [rows, col_indices]
    dtype = NAMES["int32" if out_int32 else "int64"]
    return _rushlight.Builtin("aten::stack", "torch.stack")([part.to(dtype) for part in pair])


def get_rng_state():
    """The state of the default random stream."""
    return _rushlight.default_generator().get_state()


def set_rng_state(new_state):
    """Restores a state of the default random stream."""
    _rushlight.default_generator().set_state(new_state)


_set_state = _rushlight.Generator.set_state


def _set_state_of_bytes(self, new_state):
    """Restores a state that ``get_state`` gave."""
    if not isinstance(new_state, Tensor):
        raise TypeError(f"expected a torch.ByteTensor, but got {type(new_state).__name__}")
    if new_state.dtype != NAMES["uint8"]:
        raise TypeError("RNG state must be a torch.ByteTensor")
    return _set_state(self, new_state)


_rushlight.Generator.set_state = _set_state_of_bytes


def _made_for(self, device="cpu"):
    # A number counts devices of another kind.
    kind = "cpu" if device is None else "cuda" if isinstance(device, int) else torch_device(device).type
    if kind == "meta":
        raise RuntimeError("META device type not an accelerator.")
    if kind != "cpu":
        raise RuntimeError(f"device {kind} is not supported: tensors live on the CPU")


_rushlight.Generator.__init__ = _made_for


def seed():
    """Starts the default random stream from a number that differs every time, and returns it."""
    import secrets

    number = secrets.randbits(63)
    _rushlight.manual_seed(number)
    return number


def get_device_module(device=None):
    """The module of a kind of devices: without one, of the kind that programs are written for."""
    import importlib

    kind = "cuda" if device is None else _rushlight.device(device).type
    try:
        return importlib.import_module("." + kind, __package__)
    except ModuleNotFoundError:
        raise RuntimeError(f"Invalid value of device_type: {kind}") from None


def _count_of_threads(name, number):
    if not isinstance(number, int) or isinstance(number, bool):
        raise RuntimeError(f"{name} expects an int, but got {type(number).__name__}")
    if number < 1:
        raise RuntimeError(f"{name} expects a positive integer")
    return number


def set_num_threads(number):
    """Sets how many threads one operator may use."""
    _rushlight.set_num_threads(_count_of_threads("set_num_threads", number))


def get_num_threads():
    """How many threads one operator may use: as many as there are processors, unless somebody has set another number."""
    return _rushlight.get_num_threads()


_MODES = ("default", "lite", "reduce-overhead", "max-autotune-no-cudagraphs", "max-autotune")


def compile(
    model=None, *, fullgraph=False, dynamic=None, backend="inductor", mode=None, options=None, disable=False, **_
):  # fmt: skip
    """A function or a module that runs as what it is given; a warning says so once.

    ``torch.jit.script`` compiles. Without ``model`` this is a decorator. A backend that is a function gets a graph of what is called, and
    the tensors; what it returns runs in the place of what can be one graph.

    Raises:
        RuntimeError: for an unknown ``mode``, and for ``mode`` together with ``options``.
        torch._dynamo.exc.InvalidBackend: for the name of a backend that is not known.
    """
    if mode is not None and options is not None:
        raise RuntimeError("Either mode or options can be specified, but both can't be specified at the same time.")
    if mode is not None and mode not in _MODES and backend == "inductor":
        raise RuntimeError(f"Unrecognized mode={mode}, should be one of: {', '.join(_MODES)}")
    if model is None:
        return lambda model: compile(model, fullgraph=fullgraph, backend=backend, mode=mode, options=options, disable=disable)
    if not callable(model):
        raise AssertionError(f"A callable function is expected, but {type(model)} is provided.")
    if disable:
        return model
    from ._dynamo import _backends, eval_frame

    backend = _backends.lookup_backend(backend)
    if not callable(backend):
        warn_once("torch.compile: what is compiled runs as it is; torch.jit.script compiles")
    if isinstance(model, _rushlight.ScriptObject) or type(model).__name__ in ("ScriptFunction", "RecursiveScriptModule"):
        raise RuntimeError("torch.compile does not support compiling torch.jit.script or torch.jit.freeze models directly.")
    return eval_frame.optimized(model, backend, fullgraph)


def typename(obj):
    """The name of an object's type."""
    if isinstance(obj, Tensor):
        return "torch." + _TENSOR_TYPES.get(obj.dtype.name, "Tensor")
    kind = obj if isinstance(obj, type) else type(obj)
    module = kind.__module__
    if module == "builtins":
        return kind.__qualname__
    if module.startswith("rushlight."):
        module = "torch." + module.removeprefix("rushlight.")
    return f"{module}.{kind.__qualname__}"


_TENSOR_TYPES = {
    "float32": "FloatTensor", "float64": "DoubleTensor", "float16": "HalfTensor", "bfloat16": "BFloat16Tensor",
    "uint8": "ByteTensor", "int8": "CharTensor", "int16": "ShortTensor", "int32": "IntTensor", "int64": "LongTensor",
    "bool": "BoolTensor", "complex64": "ComplexFloatTensor", "complex128": "ComplexDoubleTensor",
}


_INTEGERS = {f"uint{_bits}": (0, 2**_bits - 1, _bits) for _bits in (8, 16, 32, 64)}
for _bits in (8, 16, 32, 64):
    _INTEGERS[f"int{_bits}"] = (-(2 ** (_bits - 1)), 2 ** (_bits - 1) - 1, _bits)


# The integers behind quantized dtypes.
_INTEGERS.update(quint8=_INTEGERS["uint8"], qint8=_INTEGERS["int8"], qint32=_INTEGERS["int32"])


def _dtype_of(name, args, kwargs):
    """The one argument of ``finfo`` and ``iinfo``."""
    given = [*args, *(value for key, value in kwargs.items() if key == "type")]
    if not given:
        raise TypeError(f'{name}() missing 1 required positional arguments: "type"')
    unknown = next((key for key in kwargs if key != "type"), None)
    if unknown is not None:
        raise TypeError(f"{name}() got an unexpected keyword argument '{unknown}'")
    if len(given) > 1:
        raise TypeError(f"{name}() takes 1 positional argument but {len(given)} were given")
    if not isinstance(given[0], dtype):
        raise TypeError(f"{name}(): argument 'type' (position 1) must be torch.dtype, not {type(given[0]).__name__}")
    return given[0]


class iinfo:
    """The limits of an integer dtype, or of the integers behind a quantized one."""

    def __init__(self, *args, **kwargs):
        dtype = _dtype_of("iinfo", args, kwargs)
        if dtype.name == "bool":
            raise TypeError("torch.bool is not supported by torch.iinfo")
        if dtype.name not in _INTEGERS:
            raise TypeError("torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'")
        self.dtype = dtype.name
        self.min, self.max, self.bits = _INTEGERS[dtype.name]

    def __repr__(self):
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})".replace("e+0", "e+0")


_FLOATS = {
    "float16": (16, 2.0**-10, 65504.0, 2.0**-14, 1e-3),
    "bfloat16": (16, 2.0**-7, 3.3895313892515355e38, 2.0**-126, 1e-2),
    "float32": (32, 2.0**-23, 3.4028234663852886e38, 2.0**-126, 1e-6),
    "float64": (64, 2.0**-52, 1.7976931348623157e308, 2.0**-1022, 1e-15),
    "float8_e4m3fn": (8, 2.0**-3, 448.0, 2.0**-6, 1.0),
    "float8_e4m3fnuz": (8, 2.0**-3, 240.0, 2.0**-7, 1.0),
    "float8_e5m2": (8, 2.0**-2, 57344.0, 2.0**-14, 1.0),
    "float8_e5m2fnuz": (8, 2.0**-2, 57344.0, 2.0**-15, 1.0),
    "float8_e8m0fnu": (8, 1.0, 2.0**127, 2.0**-127, 1.0),
}


def _no_pickle(self, protocol):
    raise TypeError(f"cannot pickle 'torch.{type(self).__name__}' object")


def _same_limits(self, other):
    return type(self) is type(other) and self.dtype == other.dtype


iinfo.__reduce_ex__ = _no_pickle
iinfo.__eq__ = _same_limits
iinfo.__hash__ = lambda self: hash(self.dtype)


class finfo:
    """The limits of a floating point dtype."""

    def __init__(self, *args, **kwargs):
        dtype = _dtype_of("finfo", args, kwargs) if args or kwargs else _rushlight.get_default_dtype()
        name = {"complex64": "float32", "complex128": "float64"}.get(dtype.name, dtype.name)
        if name not in _FLOATS:
            raise TypeError(f"torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'")
        self.dtype = name
        self.bits, self.eps, self.max, self.tiny, self.resolution = _FLOATS[name]
        self.min = -self.max if dtype.is_signed else self.tiny
        self.smallest_normal = self.tiny

    def __repr__(self):
        return (
            f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, eps={self.eps:g}, "
            f"smallest_normal={self.smallest_normal:g}, tiny={self.tiny:g}, dtype={self.dtype})"
        )


finfo.__reduce_ex__ = _no_pickle
finfo.__eq__, finfo.__hash__ = iinfo.__eq__, iinfo.__hash__
iinfo.__module__ = finfo.__module__ = "torch"
