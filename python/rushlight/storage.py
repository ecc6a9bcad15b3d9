"""``torch.storage``: the memory behind tensors, as bytes and as elements."""

import os

from . import _names, _rushlight

__all__ = ["UntypedStorage", "TypedStorage"]


class UntypedStorage:
    """The bytes behind a tensor."""

    __module__ = "torch.storage"

    def __init__(self, size=0, *, device=None, _tensor=None):
        from . import uint8, zeros

        # A tensor of the storage keeps it.
        self._tensor = zeros(size, dtype=uint8, device=device) if _tensor is None else _tensor
        self._place, _, self._size, self._read = _rushlight.storage_of(self._tensor)

    @property
    def device(self):
        """The CPU."""
        return self._tensor.device

    def data_ptr(self):
        """The address of the memory."""
        return self._place

    def nbytes(self):
        """How many bytes there are."""
        return self._size

    def size(self):
        """How many bytes there are."""
        return self.nbytes()

    def __sizeof__(self):
        return super().__sizeof__() + self.nbytes()

    def element_size(self):
        """One."""
        return 1

    def __len__(self):
        return self.nbytes()

    def untyped(self):
        """Itself."""
        return self

    @staticmethod
    def from_file(filename, shared=False, nbytes=0):
        """The first bytes of a file: shared with it, or as they are now."""
        from . import from_file, uint8

        return UntypedStorage(_tensor=from_file(os.fspath(filename), shared=shared, size=nbytes, dtype=uint8))

    def __getitem__(self, index):
        if isinstance(index, slice):
            start, stop, step = index.indices(self.nbytes())
            if step != 1:
                raise RuntimeError(f"Trying to slice with a step of {step}, but only a step of 1 is supported")
            part = UntypedStorage(_tensor=self._bytes()[start:stop])
            part._place, part._size, part._read = self._place + start, max(stop - start, 0), lambda: self._read()[start:stop]
            return part
        return self._read()[index]

    def _bytes(self):
        """A tensor of the bytes, which shares them."""
        from . import uint8

        return self._tensor if self._tensor.dtype == uint8 else self._tensor.view(uint8)

    def tolist(self):
        """The bytes as numbers."""
        return list(self._read())

    def __eq__(self, other):
        return isinstance(other, UntypedStorage) and self._place == other._place and self.nbytes() == other.nbytes()

    def __hash__(self):
        return hash(self._place)

    def __repr__(self):
        lines = "".join(f" {byte}\n" for byte in self._read())
        return f"{lines}[torch.storage.UntypedStorage(device={self.device}) of size {self.nbytes()}]"


class TypedStorage:
    """The elements behind a tensor."""

    __module__ = "torch.storage"

    def __init__(self, *, wrap_storage, dtype):
        self._untyped_storage, self.dtype = wrap_storage, dtype

    @property
    def device(self):
        """The CPU."""
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

    def __sizeof__(self):
        return super().__sizeof__() + self.nbytes()

    def element_size(self):
        """How many bytes an element takes."""
        return self.dtype.itemsize

    def size(self):
        """How many elements there are."""
        return self.nbytes() // self.element_size()

    def __len__(self):
        return self.size()

    def _elements(self):
        data = self._untyped_storage._read()[: self.size() * self.element_size()]
        return _rushlight.tensor_from_bytes(data, self.dtype, [self.size()])

    def __getitem__(self, index):
        found = self._elements()[index]
        return found.item() if isinstance(index, int) else found.tolist()

    def __iter__(self):
        return iter(self.tolist())

    def tolist(self):
        """The elements."""
        return self._elements().tolist()

    def __eq__(self, other):
        same = isinstance(other, TypedStorage) and self.dtype == other.dtype
        return same and self._untyped_storage == other._untyped_storage

    def __hash__(self):
        return hash(self._untyped_storage)

    def __repr__(self):
        lines = "".join(f" {element}\n" for element in self.tolist())
        return f"{lines}[torch.storage.TypedStorage(dtype={self.dtype}, device={self.device}) of size {len(self)}]"


def _storage_class(name, dtype):
    """A class of elements of one kind: it makes storages, and tells them by their dtype."""

    class Kind(type):
        def __instancecheck__(cls, obj):
            return isinstance(obj, TypedStorage) and obj.dtype == dtype

    def make(cls, *args):
        import rushlight as torch

        given = args[0] if args else 0
        tensor = torch.empty(given, dtype=dtype) if isinstance(given, int) else torch.tensor(list(given), dtype=dtype)
        return typed_storage(tensor)

    doc = f"The elements behind a tensor of {dtype}."
    return Kind(name, (), {"__new__": make, "dtype": dtype, "__module__": "torch", "__doc__": doc})


for _name, _dtype in {
    "ByteStorage": "uint8", "CharStorage": "int8", "ShortStorage": "int16", "IntStorage": "int32", "LongStorage": "int64",
    "BoolStorage": "bool", "HalfStorage": "float16", "BFloat16Storage": "bfloat16", "FloatStorage": "float32", "DoubleStorage": "float64",
    "ComplexFloatStorage": "complex64", "ComplexDoubleStorage": "complex128",
}.items():
    globals()[_name] = _storage_class(_name, _names.NAMES[_dtype])


def untyped_storage(tensor):
    """The bytes behind a tensor."""
    return UntypedStorage(_tensor=tensor)


def typed_storage(tensor):
    """The elements behind a tensor."""
    return TypedStorage(wrap_storage=untyped_storage(tensor), dtype=tensor.dtype)


# What the reference's messages call types of elements: in C++, and as classes of tensors.
_SPELLINGS = {
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
            (wanted, _), (_, given) = (_SPELLINGS.get(one.name, (one.name, one.name)) for one in (dtype, storage.dtype))
            raise RuntimeError(
                f"Expected a Storage of type {wanted} or an UntypedStorage, but got type {given} for argument 1 'storage'"
            )
        storage = storage.untyped()
    if not isinstance(storage, UntypedStorage):
        return None
    whole = storage._tensor.detach()
    whole = whole.as_strided((storage.nbytes() // whole.element_size(),), (1,), 0)
    if whole.dtype == dtype:
        return whole
    # Bytes that are left over at the end belong to no element.
    octets = whole if whole.dtype == _names.NAMES["uint8"] else whole.view(_names.NAMES["uint8"])
    return octets[: len(octets) // dtype.itemsize * dtype.itemsize].view(dtype)
