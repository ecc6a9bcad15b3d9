"""``torch.storage``: the memory behind tensors, as bytes and as elements."""

import io
import os
import sys
import warnings

from . import _names, _rushlight

__all__ = ["UntypedStorage", "TypedStorage"]


# Methods of storages that give the elements as another kind.
_KINDS = {
    "byte": "uint8", "char": "int8", "short": "int16", "int": "int32", "long": "int64", "bool": "bool", "half": "float16",
    "bfloat16": "bfloat16", "float": "float32", "double": "float64", "complex_float": "complex64", "complex_double": "complex128",
    "float8_e5m2": "float8_e5m2", "float8_e4m3fn": "float8_e4m3fn", "float8_e5m2fnuz": "float8_e5m2fnuz",
    "float8_e4m3fnuz": "float8_e4m3fnuz",
}  # fmt: skip


class _StorageBase:
    """What storages of bytes and of elements can both be asked."""

    is_cuda = is_hpu = is_sparse = False
    filename = None

    def __sizeof__(self):
        return object.__sizeof__(self) + self.nbytes()

    def get_device(self):
        """The number of the device: None, for storages are on the CPU."""
        return None

    @property
    def _cdata(self):
        """A number that storages of the same memory share."""
        return self.untyped()._place

    def resizable(self):
        """Whether the size is for the storage to choose."""
        return True

    def is_pinned(self, device="cuda"):
        """Whether the memory is held in place for another device: never."""
        return False

    def pin_memory(self, device="cuda"):
        """Would hold the memory in place for another device."""
        raise RuntimeError("pin_memory: there is no other device that memory could be held in place for")

    def cpu(self):
        """On the CPU: itself where it is there."""
        return self._on("cpu")

    def cuda(self, device=None, non_blocking=False):
        """Would move the storage to a device that is not there."""
        return self._on("cuda")

    def to(self, *, device, non_blocking=False):
        """On a device: itself where it is there."""
        return self._on(device)

    def _on(self, device):
        from . import device as _device

        if _device(device) == self.device:
            return self
        return type(self)._of(self._all().to(device))

    def clone(self):
        """Memory of its own with the same content."""
        return type(self)._of(self._all().clone())

    def __copy__(self):
        return self.clone()

    def __deepcopy__(self, memo):
        known = memo.setdefault("torch", {})
        if self.data_ptr() not in known:
            known[self.data_ptr()] = self.clone()
        return known[self.data_ptr()]

    def copy_(self, source, non_blocking=False):
        """Writes the bytes of another storage over these."""
        if source.nbytes() != self.nbytes():
            raise RuntimeError(f"size does not match, self was {self.nbytes()} bytes but src was {source.nbytes()} bytes")
        self.untyped()._all().copy_(source.untyped()._all())
        return self

    def fill_(self, value):
        """Writes a number over all."""
        self[0:len(self)] = value
        return self

    def share_memory_(self):
        """Would move the memory to where other processes can have it too."""
        raise NotImplementedError("share_memory_: the memory of tensors stays where it is; call share_memory_() of the tensor")

    def is_shared(self):
        """Whether other processes may have the memory."""
        return self.untyped()._tensor.is_shared()

    def __iter__(self):
        return iter(self.tolist())

    def _place_of(self, index):
        """Where an index lies, counted from the front."""
        if not -len(self) <= index < len(self):
            raise IndexError(f"index {index} out of range for storage of size {len(self)}")
        return index % len(self)

    def _as(self, dtype):
        return typed_storage(self._all().to(dtype, copy=True))


def _conversion(name, dtype):
    def convert(self):
        return self._as(dtype)

    convert.__name__, convert.__qualname__ = name, f"_StorageBase.{name}"
    convert.__doc__ = f"The elements as {dtype}, in memory of their own."
    return convert


for _name, _dtype in _KINDS.items():
    setattr(_StorageBase, _name, _conversion(_name, _names.NAMES[_dtype]))


class UntypedStorage(_StorageBase):
    """The bytes behind a tensor."""

    __module__ = "torch.storage"
    is_sparse_csr = False

    def __init__(self, size=0, *, device=None, _tensor=None):
        # A tensor of the storage keeps it.
        self._tensor = _new_bytes(size, device) if _tensor is None else _tensor
        self._start = 0
        self._look()

    def _look(self):
        _, _, _, self._read = _rushlight.storage_of(self._tensor)
        self._ask = _rushlight.storage_size(self._tensor)

    @property
    def _place(self):
        return self._ask()[0] + self._start

    @property
    def _size(self):
        return self._ask()[1]

    @classmethod
    def _of(cls, tensor):
        return cls(_tensor=tensor)

    @property
    def device(self):
        """Where the memory is."""
        return self._tensor.device

    def data_ptr(self):
        """The address of the memory."""
        return 0 if self.device.type == "meta" else self._place

    def nbytes(self):
        """How many bytes there are."""
        return self._size

    def size(self):
        """How many bytes there are."""
        return self.nbytes()

    def element_size(self):
        """One."""
        return 1

    def __len__(self):
        return self.nbytes()

    def untyped(self):
        """Itself."""
        return self

    def new(self):
        """A storage of no bytes."""
        return UntypedStorage(device=self.device)

    def type(self, dtype=None, non_blocking=False):
        """What the class is called; or the bytes seen as elements of the class that is named."""
        if dtype is None:
            return "torch.storage.UntypedStorage"
        dtype = _dtype_of_class(dtype)
        return TypedStorage(len(self), dtype=dtype, _warns=False).copy_(self)

    @staticmethod
    def from_file(filename, shared=False, nbytes=0):
        """The first bytes of a file: shared with it, or as they are now."""
        from . import from_file, uint8

        return UntypedStorage(_tensor=from_file(os.fspath(filename), shared=shared, size=nbytes, dtype=uint8))

    @staticmethod
    def from_buffer(buffer, byte_order=None, *, dtype=None, count=-1, offset=0):
        """The bytes of a buffer, copied; in the order of this machine where elements of a kind had another order."""
        if byte_order not in (None, "native", "little", "big"):
            raise ValueError(f"invalid byte_order '{byte_order}' (expected 'big', 'little', or 'native')")
        dtype = _names.NAMES["uint8"] if dtype is None else dtype
        width = dtype.itemsize
        if byte_order is None and width > 1:
            raise TypeError("function missing required argument 'byte_order' (pos 2)")
        octets = bytes(buffer)[offset:]
        if count < 0 and len(octets) % width:
            raise ValueError(f"buffer size ({len(octets)}) must be a multiple of element size ({width})")
        if count >= 0 and count * width > len(octets):
            raise ValueError(f"buffer has only {len(octets) // width} elements after offset {offset}, but specified a size of {count}")
        made = UntypedStorage(octets if count < 0 else octets[: count * width])
        if byte_order in ("little", "big") and byte_order != sys.byteorder:
            made.byteswap(dtype)
        return made

    def byteswap(self, dtype):
        """Turns the bytes of every element around."""
        width = dtype.itemsize // 2 if dtype.is_complex else dtype.itemsize
        rows = self._all()[: len(self) // width * width].view(-1, width)
        rows.copy_(rows.flip(1))

    def resize_(self, size):
        """Makes the storage hold this many bytes, for all tensors that share it."""
        if size < 0:
            raise RuntimeError(f"resize_: a storage cannot have {size} bytes")
        self._ask(size)
        return self

    def __getitem__(self, index):
        if self.device.type == "meta":
            raise NotImplementedError("Not available for 'meta' device type")
        if isinstance(index, slice):
            start, stop = self._bounds(index)
            return _Part(self, start, max(stop - start, 0))
        if not hasattr(index, "__index__"):
            raise TypeError(f"can't index a torch.UntypedStorage with {type(index).__name__}")
        return self._read()[self._place_of(index.__index__())]

    def __setitem__(self, index, value):
        if self.device.type == "meta":
            raise NotImplementedError("Not available for 'meta' device type")
        if not isinstance(value, int):
            raise RuntimeError(f"can only set storage content with a int types, but got {type(value).__name__} instead")
        if isinstance(index, slice):
            start, stop = self._bounds(index)
            self._all()[start:stop].fill_(value & 255)
        elif not hasattr(index, "__index__"):
            raise TypeError(f"can't index a torch.UntypedStorage with {type(index).__name__}")
        elif not -len(self) <= index < len(self):
            raise RuntimeError("out of bounds")
        else:
            self._all()[index.__index__()] = value & 255

    def _bounds(self, index):
        start, stop, step = index.indices(self.nbytes())
        if step != 1:
            raise RuntimeError(f"Trying to slice with a step of {step}, but only a step of 1 is supported")
        return start, stop

    def _all(self):
        """A tensor of the bytes, which shares them; of quantized numbers they are copied."""
        octets = _names.NAMES["uint8"]
        whole = self._tensor.detach()
        if whole.is_quantized:
            from . import frombuffer

            return frombuffer(bytearray(self._read()), dtype=octets)
        width = whole.element_size()
        whole = whole.as_strided(((self._start + self._size) // width,), (1,), 0)
        whole = whole if whole.dtype == octets else whole.view(octets)
        return whole[self._start : self._start + self._size] if self._start or len(whole) != self._size else whole

    def __reduce__(self):
        return UntypedStorage, (bytes(self._read()),)

    def tolist(self):
        """The bytes as numbers."""
        if self.device.type == "meta":
            raise NotImplementedError("Not available for 'meta' device type")
        return list(self._read())

    def __eq__(self, other):
        return isinstance(other, UntypedStorage) and self._place == other._place and self.nbytes() == other.nbytes()

    def __hash__(self):
        return hash(self._place)

    def __repr__(self):
        lines = "...\n" if self.device.type == "meta" else " " + "\n ".join(map(str, self._read())) + "\n"
        return f"{lines}[torch.storage.UntypedStorage(device={self.device}) of size {self.nbytes()}]"


class _Part(UntypedStorage):
    """Some of the bytes of another storage."""

    def __init__(self, whole, start, size):
        self._tensor, self._start, self._length = whole._tensor, whole._start + start, size
        self._ask, self._read = whole._ask, lambda: whole._read()[start : start + size]

    @property
    def _size(self):
        return self._length

    def resize_(self, size):
        """Refused: the bytes are those of the whole."""
        raise RuntimeError("Trying to resize storage that is not resizable")


_Part.__name__ = _Part.__qualname__ = "UntypedStorage"


def _new_bytes(size, device):
    """A tensor of this many bytes, or of these."""
    from . import tensor, uint8, zeros

    if hasattr(size, "__index__"):
        return zeros(size, dtype=uint8, device=device)
    if isinstance(size, (bytes, bytearray, list, tuple)):
        return tensor([one & 255 for one in size], dtype=uint8, device=device)
    raise RuntimeError(f"torch.UntypedStorage(): Expected a sequence type, but got {type(size).__name__}")


_REMOVAL = (
    "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only storage class. This should "
    "only matter to you if you are using storages directly.  To access UntypedStorage directly, use tensor.untyped_storage() "
    "instead of tensor.storage()"
)
_warned = []


def warn_of_removal(depth=2):
    """Says once that storages of elements are old."""
    if not _warned:
        _warned.append(True)
        warnings.warn(_REMOVAL, UserWarning, stacklevel=depth + 1)


class TypedStorage(_StorageBase):
    """The elements behind a tensor."""

    __module__ = "torch.storage"

    def __init__(self, *args, wrap_storage=None, dtype=None, device=None, _warns=True):
        if _warns:
            warn_of_removal(2)
        if wrap_storage is not None and (args or dtype is None or not isinstance(wrap_storage, UntypedStorage)):
            raise TypeError(
                "TypedStorage.__init__ received an invalid combination of arguments. Expected one of:\n"
                " * (*, torch.device device, torch.dtype dtype)\n * (int size, *, torch.device device, torch.dtype dtype)\n"
                " * (Sequence data, *, torch.device device, torch.dtype dtype)\n * (*, UntypedStorage wrap_storage, torch.dtype dtype)"
                f"\nArgument 'wrap_storage' must be UntypedStorage, but got {type(wrap_storage)}"
            )
        self.dtype = _default_dtype() if dtype is None else dtype
        if wrap_storage is None:
            wrap_storage = UntypedStorage(_tensor=_new_elements(args[0] if args else 0, self.dtype, device))
        self._untyped_storage = wrap_storage

    @classmethod
    def _of(cls, tensor):
        return typed_storage(tensor)

    @property
    def device(self):
        """Where the memory is."""
        return self._untyped_storage.device

    def untyped(self):
        """The bytes."""
        return self._untyped_storage

    def data_ptr(self):
        """The address of the memory."""
        return self._untyped_storage.data_ptr()

    def nbytes(self):
        """How many bytes there are."""
        return self._untyped_storage.nbytes()

    def element_size(self):
        """How many bytes an element takes."""
        return self.dtype.itemsize

    def size(self):
        """How many elements there are."""
        return self.nbytes() // self.element_size()

    def __len__(self):
        return self.size()

    def pickle_storage_type(self):
        """What checkpoints call storages of these elements."""
        for name, cls in _CLASSES.items():
            if cls.dtype == self.dtype:
                return name
        raise KeyError(self.dtype)

    def type(self, dtype=None, non_blocking=False):
        """What the class of these elements is called; or the bytes seen as elements of the class that is named."""
        if dtype is None:
            return "torch." + self.pickle_storage_type()
        return self.untyped().type(dtype)

    def resize_(self, size):
        """Makes the storage hold this many elements, where no tensor has been given it."""
        self._untyped_storage.resize_(size * self.element_size())

    def _all(self):
        """A tensor of the elements, which shares them."""
        octets = self._untyped_storage._all()
        return octets[: self.size() * self.element_size()].view(_carrier(self.dtype))

    def __getitem__(self, index):
        if isinstance(index, slice):
            raise RuntimeError("slices are only supported in UntypedStorage.__getitem__")
        if not hasattr(index, "__index__"):
            raise RuntimeError(f"can't index a {type(self)} with {type(index)}")
        return self._all()[self._place_of(index.__index__())].item()

    def __setitem__(self, index, value):
        if isinstance(index, slice):
            self._all()[index] = value
        elif not hasattr(index, "__index__"):
            raise RuntimeError(f"can't index a {type(self)} with {type(index)}")
        else:
            self._all()[self._place_of(index.__index__())] = value

    def tolist(self):
        """The elements."""
        return self._all().tolist()

    def __reduce__(self):
        from .serialization import save

        out = io.BytesIO()
        save(self, out, _use_new_zipfile_serialization=False)
        return _load_from_bytes, (out.getvalue(),)

    def __eq__(self, other):
        same = isinstance(other, TypedStorage) and self.dtype == other.dtype
        return same and self._untyped_storage == other._untyped_storage

    def __hash__(self):
        return hash(self._untyped_storage)

    def __repr__(self):
        lines = "...\n" if self.device.type == "meta" else " " + "\n ".join(map(str, self.tolist())) + "\n"
        return f"{lines}[torch.storage.TypedStorage(dtype={self.dtype}, device={self.device}) of size {len(self)}]"


def _load_from_bytes(b):
    """The elements that a pickle has as the bytes of a file."""
    from .serialization import load

    return load(io.BytesIO(b), weights_only=False)


def _typed_of_bytes(octets, dtype):
    """The elements that a pickle of an earlier version has as bytes."""
    return TypedStorage(wrap_storage=UntypedStorage(octets), dtype=dtype, _warns=False)


def _default_dtype():
    from . import get_default_dtype

    return get_default_dtype()


def _new_elements(given, dtype, device=None):
    """A tensor of this many elements, or of these."""
    from . import tensor, zeros

    dtype = _carrier(dtype)
    if hasattr(given, "__index__"):
        return zeros(given, dtype=dtype, device=device)
    return tensor(list(given), dtype=dtype, device=device)


def _carrier(dtype):
    """The dtype of plain tensors that hold what quantized ones of a dtype hold."""
    return _names.NAMES[_CARRIERS.get(dtype.name, dtype.name)]


_CARRIERS = {"qint8": "int8", "quint8": "uint8", "qint32": "int32"}


def _dtype_of_class(given):
    """The dtype of a class of storages, which may be named."""
    if isinstance(given, str):
        given = _CLASSES.get(given.removeprefix("torch."), given)
    dtype = getattr(given, "dtype", None)
    if dtype is None:
        raise TypeError(f"type: {given!r} is no class of storages")
    return dtype


def _storage_class(name, dtype):
    """A class of elements of one kind: it makes storages, and tells them by their dtype."""

    class Kind(type):
        def __instancecheck__(cls, obj):
            return isinstance(obj, TypedStorage) and obj.dtype == dtype

    def make(cls, *args, wrap_storage=None, **others):
        warn_of_removal()
        refused = f"Keyword argument {next(iter(others))!r} cannot be specified" if others else None
        if len(args) > 1 or args and wrap_storage is not None:
            refused = "Too many positional arguments"
        elif args and not hasattr(args[0], "__index__") and (isinstance(args[0], _StorageBase) or not hasattr(args[0], "__len__")):
            refused = f"Argument type not recognized: {type(args[0])}"
        if refused is not None:
            raise (RuntimeError if others else TypeError)(
                f"{cls}.__new__ received an invalid combination of arguments. Expected one of:\n * no arguments\n * (int size)\n"
                f" * (Sequence data)\n * (*, UntypedStorage wrap_storage)\n{refused}"
            )
        return TypedStorage(*args, wrap_storage=wrap_storage, dtype=dtype, _warns=False)

    def from_buffer(cls, *args, **kwargs):
        """The elements of a buffer, copied."""
        octets = UntypedStorage.from_buffer(*args, dtype=dtype, **kwargs)
        return TypedStorage(wrap_storage=octets, dtype=dtype, _warns=False)

    doc = f"The elements behind a tensor of {dtype}."
    parts = {"__new__": make, "from_buffer": classmethod(from_buffer), "dtype": dtype, "__module__": "torch", "__doc__": doc}
    return Kind(name, (), parts)


_CLASSES = {
    name: _storage_class(name, _names.NAMES[dtype])
    for name, dtype in {
        "ByteStorage": "uint8", "CharStorage": "int8", "ShortStorage": "int16", "IntStorage": "int32", "LongStorage": "int64",
        "BoolStorage": "bool", "HalfStorage": "float16", "BFloat16Storage": "bfloat16", "FloatStorage": "float32",
        "DoubleStorage": "float64", "ComplexFloatStorage": "complex64", "ComplexDoubleStorage": "complex128",
        "QInt8Storage": "qint8", "QUInt8Storage": "quint8", "QInt32Storage": "qint32",
    }.items()
}  # fmt: skip
globals().update(_CLASSES)


def untyped_storage(tensor):
    """The bytes behind a tensor."""
    return UntypedStorage(_tensor=tensor)


def typed_storage(tensor):
    """The elements behind a tensor."""
    return TypedStorage(wrap_storage=untyped_storage(tensor), dtype=tensor.dtype, _warns=False)


# What the reference's messages call types of elements: in C++, and as classes of tensors.
SPELLINGS = {
    "uint8": ("unsigned char", "Byte"), "int8": ("signed char", "Char"), "int16": ("short int", "Short"), "int32": ("int", "Int"),
    "int64": ("long int", "Long"), "float16": ("c10::Half", "Half"), "bfloat16": ("c10::BFloat16", "BFloat16"),
    "float32": ("float", "Float"), "float64": ("double", "Double"), "bool": ("bool", "Bool"),
    "complex64": ("c10::complex<float>", "ComplexFloat"), "complex128": ("c10::complex<double>", "ComplexDouble"),
}  # fmt: skip


def elements_of(storage, dtype):
    """A tensor of all elements of a storage, which shares them; None for what is no storage.

    Raises:
        RuntimeError: for elements of another kind.
    """
    if isinstance(storage, TypedStorage):
        if storage.dtype != dtype:
            (wanted, _), (_, given) = (SPELLINGS.get(one.name, (one.name, one.name)) for one in (dtype, storage.dtype))
            raise RuntimeError(
                f"Expected a Storage of type {wanted} or an UntypedStorage, but got type {given} for argument 1 'storage'"
            )
        storage = storage.untyped()
    if not isinstance(storage, UntypedStorage):
        return None
    octets = storage._all()
    if dtype == octets.dtype:
        return octets
    # Bytes that are left over at the end belong to no element.
    return octets[: len(octets) // dtype.itemsize * dtype.itemsize].view(dtype)
