"""``torch.save`` and ``torch.load``: tensors and containers in the zip form of PyTorch's checkpoints.

Loading runs no code of the file: only the types below, and those that a program allows, are made. A program that trusts
a file says so with ``weights_only=False``; then Python's own unpickling applies.
"""

import _compat_pickle
import collections
import contextlib
import enum
import io
import os
import pickle
import struct
import sys
import warnings
from typing import IO, Any, Callable

import rushlight as torch

from . import _checkpoint_options as _options
from . import _rushlight
from . import _names
from ._checkpoint_options import get_crc32_options, get_default_mmap_options, set_crc32_options, set_default_mmap_options, skip_data  # noqa: F401
from ._checkpoint_writing import _INTEGERS, _MAGIC, _PROTOCOL, _SCHEMES, _STORAGES, _UNNAMED, _save_archive, _save_stream, _scheme  # noqa: F401
from ._names import Size
from ._pickling import _rebuild_of_class
from ._rushlight import Tensor, device, dtype
from .nn.parameter import Buffer, Parameter
from .storage import typed_storage

# Names that programs import, with the values that they have there.
DEFAULT_PROTOCOL = 2
STORAGE_KEY_SEPARATOR = ","
LONG_SIZE, INT_SIZE, SHORT_SIZE = 4, 4, 2
MAP_LOCATION = Callable[[Any, str], Any] | device | str | dict[str, str] | None
FileLike = FILE_LIKE = str | os.PathLike | IO[bytes]

MAGIC_NUMBER, PROTOCOL_VERSION = _MAGIC, _PROTOCOL


def save(obj, f, pickle_module=None, pickle_protocol=2, _use_new_zipfile_serialization=True, _disable_byteorder_record=False):
    """Saves tensors and containers of them to a path or a file object."""
    is_path = isinstance(f, (str, os.PathLike))
    if not is_path and not hasattr(f, "write"):
        raise AttributeError("expected 'f' to be string, path, or a file-like object with a 'write' attribute")
    if is_path:
        parent = os.path.dirname(os.fspath(f))
        if parent and not os.path.isdir(parent):
            raise RuntimeError(f"Parent directory {parent} does not exist.")
    if _use_new_zipfile_serialization:
        folder = os.path.splitext(os.path.basename(os.fspath(f)))[0] if is_path else "archive"
        archive = _save_archive(obj, folder, pickle_protocol)
    elif _options.skips_data():
        raise RuntimeError("Cannot use skip_data=True with _use_new_zipfile_serialization=False")
    else:
        archive = _save_stream(obj, pickle_protocol)
    if is_path:
        _rushlight.write_file(os.fspath(f), archive)
    else:
        f.write(archive)


def _elements(storage):
    """A tensor of all elements of a storage."""
    return storage if isinstance(storage, Tensor) else storage.untyped()._tensor


def _rebuild_tensor(storage, offset, size, stride, requires_grad=False, _hooks=None, _metadata=None):
    tensor = _marked(_elements(storage).as_strided(size, stride, offset), _metadata)
    return tensor.requires_grad_(True) if requires_grad else tensor


def _marked(tensor, metadata):
    """A tensor whose elements are read negated or conjugated, if pickles say so."""
    if metadata and metadata.get("neg"):
        tensor = torch._neg_view(tensor)
    if metadata and metadata.get("conj"):
        tensor = tensor.conj()
    return tensor


def _rebuild_unnamed(storage, offset, size, stride, requires_grad, hooks, dtype, metadata=None):
    return _rebuild_tensor(_elements(storage).view(dtype), offset, size, stride, requires_grad, hooks, metadata)


def _rebuild_meta_tensor_no_storage(dtype, size, stride, requires_grad=False):
    tensor = torch.empty_strided(size, stride, dtype=dtype, device="meta")
    return tensor.requires_grad_(True) if requires_grad else tensor


def _rebuild_quantized(storage, offset, size, stride, scheme, requires_grad=False, _hooks=None):
    kind, scale, zero_point, *axis = scheme
    integers = _elements(storage).as_strided(size, stride, offset)
    if kind == _names.per_tensor_affine:
        made = torch._make_per_tensor_quantized_tensor(integers, scale, zero_point)
    elif kind in (_names.per_channel_affine, _names.per_channel_affine_float_qparams):
        made = torch._make_per_channel_quantized_tensor(integers, scale, zero_point, axis[0])
    else:
        raise RuntimeError(f"Can't deserialize quantized tensor with qscheme {kind}")
    return made


# Whether a checkpoint that is being loaded has sparse tensors.
_made_sparse = [False]


def _rebuild_sparse_tensor(layout, data):
    from ._sparse._makers import check
    from ._sparse._tensor import rebuild

    tensor = rebuild(layout, data)
    _made_sparse[0] = True
    check(tensor)
    return tensor


def _get_layout(name):
    """The layout of a name."""
    found = getattr(_names, name.removeprefix("torch."), None)
    if not isinstance(found, type(_names.strided)):
        raise RuntimeError(f"Unsupported layout {name}")
    return found


class _Packed:
    """Stands for packed parameters until their state is known."""

    def __setstate__(self, state):
        self.state = state


def _settle(value, known):
    """The value with packed parameters in the place of what stands for them; containers are changed themselves."""
    if isinstance(value, _Packed):
        if id(value) not in known:
            from ._packed import restore

            # An object whose state contains itself has no end.
            known[id(value)] = None
            known[id(value)] = restore(_settle(value.state, known))
        return known[id(value)]
    if type(value) in (tuple, list):
        if id(value) in known:
            return known[id(value)]
        if type(value) is tuple:
            return tuple(_settle(v, known) for v in value)
        known[id(value)] = value
        value[:] = [_settle(v, known) for v in value]
    elif isinstance(value, dict):
        if id(value) not in known:
            known[id(value)] = value
            for key, held in list(value.items()):
                value[key] = _settle(held, known)
    elif isinstance(value, torch.nn.Module) and id(value) not in known:
        known[id(value)] = value
        _settle(vars(value), known)
    return value


def _rebuild_parameter(data, requires_grad, _hooks=None):
    return Parameter(data, requires_grad)


def _rebuild_parameter_with_state(data, requires_grad, _hooks, state):
    out = Parameter(data, requires_grad)
    vars(out).update(state)
    return out


def _rebuild_buffer(data, requires_grad, persistent):
    return Buffer(data, persistent)


# Pickles name them where programs find them.
for _function in (_rebuild_parameter, _rebuild_parameter_with_state, _rebuild_buffer, _rebuild_meta_tensor_no_storage):
    _function.__module__ = "torch._utils"


# What a checkpoint may be made of.
_ALLOWED = {
    ("collections", "OrderedDict"): collections.OrderedDict,
    ("collections", "Counter"): collections.Counter,
    ("builtins", "set"): set, ("__builtin__", "set"): set,
    ("builtins", "complex"): complex, ("__builtin__", "complex"): complex,
    ("builtins", "bytearray"): bytearray, ("__builtin__", "bytearray"): bytearray,
    ("_codecs", "encode"): lambda text, encoding="utf-8": text.encode(encoding),
    ("torch", "Size"): Size,
    ("torch", "device"): device,
    ("torch", "Tensor"): Tensor,
    ("torch._utils", "_rebuild_tensor_v2"): _rebuild_tensor,
    ("torch._utils", "_rebuild_tensor"): _rebuild_tensor,
    ("torch._utils", "_rebuild_tensor_v3"): _rebuild_unnamed,
    ("torch.storage", "UntypedStorage"): _names.uint8,
    ("torch._utils", "_rebuild_parameter"): _rebuild_parameter,
    ("torch._utils", "_rebuild_parameter_with_state"): _rebuild_parameter_with_state,
    ("torch._tensor", "_rebuild_from_type_v2"): _rebuild_of_class,
    ("torch._utils", "_rebuild_meta_tensor_no_storage"): _rebuild_meta_tensor_no_storage,
    ("torch._utils", "_rebuild_qtensor"): _rebuild_quantized,
    ("torch._utils", "_rebuild_sparse_tensor"): _rebuild_sparse_tensor,
    ("torch.serialization", "_get_layout"): _get_layout,
    ("torch.nn.parameter", "Parameter"): Parameter,
    ("torch.nn.parameter", "Buffer"): Buffer,
}
_DTYPES = {storage: getattr(_names, name) for name, storage in _STORAGES.items()}
_ALLOWED.update({("torch", name): getattr(_names, name) for name in (*_STORAGES, *_UNNAMED)})
_ALLOWED.update({("torch", storage): kind for storage, kind in _DTYPES.items()})
_ALLOWED.update({("torch", str(kind).removeprefix("torch.")): kind for kind in _SCHEMES})

_added = {}


def _qualified(item):
    if isinstance(item, tuple):
        item, path = item
        return tuple(path.rsplit(".", 1)), item
    return (item.__module__, item.__qualname__), item


def add_safe_globals(safe_globals):
    """Allows checkpoints to make these classes and call these functions."""
    _added.update(map(_qualified, safe_globals))


def get_safe_globals():
    """What :func:`add_safe_globals` has allowed."""
    return list(_added.values())


def clear_safe_globals():
    """Forgets what :func:`add_safe_globals` has allowed."""
    _added.clear()


@contextlib.contextmanager
def safe_globals(safe_globals):
    """Allows classes and functions for a while."""
    before = dict(_added)
    add_safe_globals(safe_globals)
    try:
        yield
    finally:
        _added.clear()
        _added.update(before)


class SourceChangeWarning(Warning):
    """A class has another source than the one that an old checkpoint of a whole module carries."""


class LoadEndianness(enum.Enum):
    """The order of bytes of checkpoints that do not say theirs."""

    NATIVE = 1
    LITTLE = 2
    BIG = 3


_load_endianness = None


def get_default_load_endianness():
    """The order of bytes that checkpoints without one are taken to have; None for this machine's."""
    return _load_endianness


def set_default_load_endianness(endianness):
    """Says which order of bytes checkpoints have that do not say theirs."""
    global _load_endianness
    if endianness is not None and not isinstance(endianness, LoadEndianness):
        raise TypeError("Invalid argument type in function set_default_load_endianness")
    _load_endianness = endianness


def _is_swapped(records):
    """Whether the bytes of a checkpoint's elements have the other order than this machine's."""
    order = records.get("byteorder")
    if order is None:
        known = {LoadEndianness.LITTLE: "little", LoadEndianness.BIG: "big"}
        return known.get(_load_endianness, sys.byteorder) != sys.byteorder
    order = order.decode(errors="replace")
    if order not in ("little", "big"):
        raise ValueError("Unknown endianness type: " + order)
    return order != sys.byteorder


def _swapped(data, kind):
    """Elements with their bytes in the other order."""
    width = kind.itemsize // 2 if kind.is_complex else kind.itemsize
    out = bytearray(len(data))
    for i in range(width):
        out[i::width] = data[width - 1 - i::width]
    return bytes(out)


def default_restore_location(storage, location):
    """The storage where a tag says: in main memory, or without elements."""
    from ._locations import restored

    return restored(storage, location)


def normalize_storage_type(storage_type):
    """The class of storages that a class of tensors on a device has here: itself."""
    return storage_type


def location_tag(storage):
    """Where a storage lies, as checkpoints name it."""
    return "cpu"


def get_unsafe_globals_in_checkpoint(f):
    """The names in a checkpoint that are neither known nor allowed by :func:`add_safe_globals`, sorted."""
    if isinstance(f, (str, os.PathLike)):
        with open(f, "rb") as file:
            data = file.read()
    else:
        data = f.read()
    if not data.startswith(b"PK"):
        raise ValueError("Expected input to be a checkpoint returned by torch.save")
    import pickletools

    names, strings, remembered, count = set(), [], {}, 0
    for opcode, argument, _ in pickletools.genops(_rushlight.read_archive(data)["data.pkl"]):
        if opcode.name == "GLOBAL":
            names.add(tuple(argument.split(" ", 1)))
        elif opcode.name == "STACK_GLOBAL":
            names.add(tuple(strings[-2:]))
        elif isinstance(argument, str):
            strings.append(argument)
        if opcode.name == "MEMOIZE":
            remembered[count], count = (strings[-1] if strings else None), count + 1
        elif opcode.name in ("GET", "BINGET", "LONG_BINGET") and remembered.get(argument):
            strings.append(remembered[argument])
    return sorted(".".join(name) for name in names if name not in _ALLOWED and name not in _added)


_TWO_WAYS = (
    "Weights only load failed. This file can still be loaded, to do so you have two options, "
    "\x1b[1mdo those steps only if you trust the source of the checkpoint\x1b[0m. \n"
    "\t(1) {}\n"
    "\t(2) Alternatively, to load with `weights_only=True` please check the recommended steps in the following error message.\n"
    "\tWeightsUnpickler error: Unsupported global: GLOBAL {} was not an allowed global by default. Please use "
    "`torch.serialization.add_safe_globals([{}])` or the `torch.serialization.safe_globals([{}])` context manager to "
    "allowlist this global if you trust this class/function.\n\n"
    "Check the documentation of torch.load to learn more about types accepted by default with weights_only "
    "https://pytorch.org/docs/stable/generated/torch.load.html."
)
_DEFAULT_CHANGED = (
    "In PyTorch 2.6, we changed the default value of the `weights_only` argument in `torch.load` from `False` to `True`. "
    "Re-running `torch.load` with `weights_only` set to `False` will likely succeed, but it can result in arbitrary code "
    "execution. Do it only if you got the file from a trusted source."
)

_OF_BLOCKED = (
    "Weights only load failed. {}\n\n\nTrying to load unsupported GLOBAL {} whose module {} is blocked.\n\nCheck the documentation of "
    "torch.load to learn more about types accepted by default with weights_only https://pytorch.org/docs/stable/generated/torch.load.html."
)
# Modules that nothing may be allowed of.
_BLOCKED = frozenset(("os", "posix", "nt", "sys"))

_UNSUPPORTED = (
    "Weights only load failed. {}\nPlease file an issue with the following so that we can make `weights_only=True` compatible with "
    "your use case: WeightsUnpickler error: \n\nUnsupported operand {}\n\nCheck the documentation of torch.load to learn more about "
    "types accepted by default with weights_only https://pytorch.org/docs/stable/generated/torch.load.html."
)
# What pickles may do that are not trusted; files that `torch.save` writes do no more.
_OPERATIONS = frozenset((
    "APPEND", "APPENDS", "BINFLOAT", "BINGET", "BININT", "BININT1", "BININT2", "BINPERSID", "BINPUT", "BINUNICODE", "BUILD", "EMPTY_DICT",
    "EMPTY_LIST", "EMPTY_SET", "EMPTY_TUPLE", "GLOBAL", "LONG1", "LONG_BINGET", "LONG_BINPUT", "MARK", "NEWFALSE", "NEWOBJ", "NEWTRUE", "NONE",
    "PROTO", "REDUCE", "SETITEM", "SETITEMS", "SHORT_BINSTRING", "STOP", "TUPLE", "TUPLE1", "TUPLE2", "TUPLE3",
))


def _warn_of_protocol(protocol):
    warnings.warn(
        f"Detected pickle protocol {protocol} in the checkpoint, which was not the default pickle protocol used by `torch.load` "
        f"({DEFAULT_PROTOCOL}). The weights_only Unpickler might not support all instructions implemented by this protocol, please file "
        "an issue for adding support if you encounter this.",
        UserWarning,
        stacklevel=5,
    )


def _check_operations(data):
    """Refuses a stream that begins with something else than a pickle of few operations."""
    import pickletools

    first = pickletools.code2op.get(chr(data[0])) if data else None
    if first is not None and first.name not in _OPERATIONS:
        # Whatever its argument would be.
        raise pickle.UnpicklingError(_UNSUPPORTED.format(_DEFAULT_CHANGED, data[0]))
    position, remembered = 0, set()
    try:
        for operation, argument, position in pickletools.genops(data):
            if operation.name == "PROTO" and argument != DEFAULT_PROTOCOL:
                _warn_of_protocol(argument)
            if operation.name not in _OPERATIONS:
                break
            if operation.name in ("PUT", "BINPUT", "LONG_BINPUT"):
                remembered.add(argument)
            elif operation.name in ("GET", "BINGET", "LONG_BINGET") and argument not in remembered:
                # Reading ends here; what follows was never meant to be a pickle.
                raise KeyError(argument)
            position += 1
        else:
            return
    except ValueError as error:
        # Of an operation that there is not, or of one that the file ends in.
        if "unknown" not in str(error):
            return
        position = int(str(error).split()[2].rstrip(","))
    raise pickle.UnpicklingError(_UNSUPPORTED.format(_DEFAULT_CHANGED, data[position]))


# Functions that use what they are given at once: nothing may stand for packed parameters in it.
_AT_ONCE = {("torch.fx.graph_module", "reduce_graph_module")}


class _Unpickler(pickle.Unpickler):
    """Makes what is allowed, or anything for a trusted file."""

    def __init__(self, file, trusted, location=None):
        super().__init__(file, encoding="utf-8")
        self.trusted = trusted
        self.location = location
        self.storages = {}
        # Whether something stands for packed parameters, and what has been settled so far.
        self.has_packed = False
        self.settled = {}

    def find_class(self, module, name):
        if module in _BLOCKED and not self.trusted:
            raise pickle.UnpicklingError(_OF_BLOCKED.format(_DEFAULT_CHANGED, f"{module}.{name}", module))
        for known in (_ALLOWED, _added):
            if (module, name) in known:
                return known[module, name]
        if self.trusted:
            if module == "torch._C":
                return getattr(torch._C, name)
            if (module, name) == ("torch", "ScriptObject"):
                self.has_packed = True
                return _Packed
            found = super().find_class(_own_module(module), name)
            return self._with_settled(found) if (module, name) in _AT_ONCE else found
        # Pickles of protocol 2 say what Python 2 called things.
        module, name = _compat_pickle.NAME_MAPPING.get((module, name), (module, name))
        module = _compat_pickle.IMPORT_MAPPING.get(module, module)
        path = name if module == "builtins" else f"{module}.{name}"
        raise pickle.UnpicklingError(_TWO_WAYS.format(_DEFAULT_CHANGED, path, path, path))

    def _with_settled(self, function):
        """A function that is given packed parameters instead of what stands for them."""

        def call(*args):
            # What stands for them is in the pickle's memo until the end, so that it is known by its identity.
            return function(*(_settle(arg, self.settled) for arg in args)) if self.has_packed else function(*args)

        return call

    def load(self):
        try:
            loaded = super().load()
            return _settle(loaded, self.settled) if self.has_packed else loaded
        except EOFError:
            if self.trusted:
                raise
            raise EOFError from None
        except pickle.UnpicklingError as error:
            text = str(error)
            if not self.trusted and text == "pickle data was truncated":
                raise struct.error("unpack requires a buffer of 4 bytes") from None
            if not self.trusted and text in ("unpickling stack underflow", "could not find MARK"):
                raise IndexError("pop from empty list") from None
            raise

    def persistent_load(self, pid):
        if not isinstance(pid, tuple) or len(pid) < 5 or pid[0] != "storage":
            raise pickle.UnpicklingError("a persistent id that is no storage")
        _, kind, key, tag, count, *rest = pid
        if not isinstance(kind, dtype):
            raise pickle.UnpicklingError("a storage without a type of elements")
        if not isinstance(count, int) or count < 0:
            raise pickle.UnpicklingError("a storage of an impossible size")
        if key not in self.storages:
            storage = self.read(key, kind, count)
            if self.location is not None:
                from ._locations import placed

                storage = placed(storage, tag, self.location)
            self.storages[key] = storage
        storage = self.storages[key]
        # Streams name a part of a storage: its key, where it begins and how many elements it has.
        view = rest[0] if rest else None
        return typed_storage(storage if view is None else storage[view[1]:view[1] + view[2]])


def _own_module(module):
    """The module here that stands for one of torch."""
    if module == "torch" or module.startswith("torch."):
        return __package__ + module[len("torch"):]
    return module


class _ArchiveUnpickler(_Unpickler):
    """The pickle of an archive, whose storages are records beside it."""

    def __init__(self, records, trusted, location):
        super().__init__(io.BytesIO(records["data.pkl"]), trusted, location)
        self.records = records
        self.is_swapped = _is_swapped(records)

    def read(self, key, kind, count):
        """The elements of a storage, which are a record."""
        data = self.records.get(f"data/{key}")
        if data is None:
            raise RuntimeError(f"PytorchStreamReader failed locating file data/{key}: file not found")
        if _options.skips_data():
            return torch.empty(count, dtype=_INTEGERS.get(kind, kind))
        if self.is_swapped and len(data) % kind.itemsize == 0:
            data = _swapped(data, kind)
        return _rushlight.tensor_from_bytes(data, _INTEGERS.get(kind, kind), [count])


class _StreamUnpickler(_Unpickler):
    """One of the pickles of a stream; the elements of its storages are known from the reading that :class:`_Storages` began."""

    def __init__(self, file, trusted, location=None, elements=None):
        super().__init__(file, trusted, location)
        self.elements = elements or {}

    def persistent_load(self, pid):
        if self.trusted and isinstance(pid, tuple) and len(pid) == 4 and pid[0] == "module":
            if all(pid[1:]):
                _check_source(*pid[1:])
            return pid[1]
        return super().persistent_load(pid)

    def read(self, key, kind, count):
        """The elements of a storage."""
        return self.elements[key]


class _Nothing:
    """Stands for what a pickle makes while only its storages are looked for: may be called, given a state and filled."""

    def __init__(self, *args, **kwargs):
        pass

    def __call__(self, *args, **kwargs):
        return self

    def __setitem__(self, key, value):
        pass

    __setstate__ = append = extend = add = __call__


class _Storages(_StreamUnpickler):
    """Reads a pickle of a stream for its storages alone, and makes nothing else: their elements follow after it, and what is
    made of them (quantized and sparse tensors, views of other elements) may look at them at once."""

    def __init__(self, file, trusted):
        super().__init__(file, trusted)
        # Every storage takes part of the stream: together they cannot be larger than it is.
        self.room = file.getbuffer().nbytes
        self.kinds = {}

    def find_class(self, module, name):
        if not self.trusted:
            # Refuses what is not allowed.
            super().find_class(module, name)
        known = _ALLOWED.get((module, name))
        return known if isinstance(known, dtype) else _Nothing

    def persistent_load(self, pid):
        if self.trusted and isinstance(pid, tuple) and len(pid) == 4 and pid[0] == "module":
            return _Nothing
        super().persistent_load(pid)
        return _Nothing()

    def read(self, key, kind, count):
        """Room for the elements of a storage."""
        self.room -= count * kind.itemsize
        if self.room < 0:
            raise RuntimeError(f"unexpected EOF, expected {-self.room} more bytes. The file might be corrupted.")
        self.kinds[key] = (_INTEGERS.get(kind, kind), count)
        return torch.empty(0, dtype=torch.uint8)


def _check_source(kind, file, source):
    """Warns where the class of a module has another source than the one that its checkpoint carries.

    Modules of the library always have: they are this library's own.
    """
    if (getattr(kind, "__module__", None) or "").partition(".")[0] in ("torch", __package__):
        return
    import inspect

    try:
        current = inspect.getsource(kind)
    except (OSError, TypeError):
        warnings.warn(
            f"Couldn't retrieve source code for container of type {kind.__name__}. It won't be checked for correctness upon "
            "loading.",
            stacklevel=2,
        )
        return
    if current == source:
        return
    name = f"{kind.__module__}.{kind.__qualname__}"
    advice = (
        "you can retrieve the original source code by accessing the object's source attribute or set "
        "`torch.nn.Module.dump_patches = True` and use the patch tool to revert the changes."
    )
    if kind.dump_patches:
        advice = _dumped_patch(kind, file, source, current)
    warnings.warn(f"source code of class '{name}' has changed. {advice}", SourceChangeWarning, stacklevel=2)


def _dumped_patch(kind, file, source, current):
    """Writes what leads from the current source of a class back to that of a checkpoint; says where."""
    import difflib

    path = kind.__name__ + ".patch"
    patch = "\n".join(difflib.unified_diff(current.split("\n"), source.split("\n"), file, file, lineterm=""))
    try:
        with open(path, "a+") as out:
            out.seek(0)
            before = out.read()
            if not before:
                out.write(patch)
            elif before != patch:
                raise OSError(path)
    except OSError:
        return (
            f"Tried to save a patch, but couldn't create a writable file {path}. Make sure it doesn't exist and your working "
            "directory is writable."
        )
    return f"Saved a reverse patch to {path}. Run `patch -p0 < {path}` to revert your changes."


def _take(file, count):
    """The next bytes, all of them."""
    data = file.read(count)
    if len(data) < count:
        raise RuntimeError(f"unexpected EOF, expected {count - len(data)} more bytes. The file might be corrupted.")
    return data


def _noted(error, note):
    """The error with a note, where this Python has notes."""
    if hasattr(error, "add_note"):
        error.add_note(note)
    return error


def _load_stream(data, trusted, location):
    """A checkpoint of PyTorch before 1.6: a row of pickles, then the elements of every storage."""
    file = io.BytesIO(data)
    try:
        if not trusted:
            _check_operations(data)
        if _StreamUnpickler(file, trusted).load() != _MAGIC:
            raise RuntimeError("Invalid magic number; corrupt file?")
        try:
            protocol = _StreamUnpickler(file, trusted).load()
        except struct.error:
            raise EOFError from None
    except (pickle.UnpicklingError, RuntimeError, EOFError, IndexError, struct.error) as error:
        raise _noted(error, _rushlight.describe_file(data)) from None
    if protocol != _PROTOCOL:
        raise RuntimeError(f"Invalid protocol version: {protocol}")
    _StreamUnpickler(file, trusted).load()
    begin = file.tell()
    wanted = _Storages(file, trusted)
    wanted.load()
    elements = {}
    for key in _StreamUnpickler(file, trusted).load():
        if key not in wanted.kinds:
            raise RuntimeError(f"the stream brings a storage {key} that nothing asked for")
        kind, size = wanted.kinds[key]
        count = int.from_bytes(_take(file, 8), "little")
        if count != size:
            raise RuntimeError(f"storage has wrong byte size: expected {count * kind.itemsize} got {size * kind.itemsize}")
        elements[key] = _rushlight.tensor_from_bytes(_take(file, count * kind.itemsize), kind, [count])
    for key in wanted.kinds.keys() - elements.keys():
        raise RuntimeError(f"the stream does not bring the storage {key}")
    file.seek(begin)
    result = _StreamUnpickler(file, trusted, location, elements).load()
    _warn_of_sparse(trusted)
    return result


def _check_arguments(arguments, trusted, taker):
    """Refuses arguments that unpickling does not take."""
    for name in arguments:
        if not trusted and name != "encoding":
            raise TypeError(f"{taker}() got an unexpected keyword argument '{name}'")
        if name not in ("encoding", "errors", "fix_imports", "buffers"):
            raise TypeError(f"'{name}' is an invalid keyword argument for {taker}()")


def load(f, map_location=None, pickle_module=None, *, weights_only=None, mmap=None, **pickle_load_args):
    """Loads what ``torch.save`` wrote, of this library or PyTorch.

    Only tensors, containers and the classes that :func:`add_safe_globals` allows are made, unless `weights_only` is False:
    then the file may run any code, as Python's pickles may.
    """
    if weights_only and pickle_module is not None:
        raise RuntimeError("Can not safely load weights when explicit pickle_module is specified")
    # A pickle module of one's own is a sign of trust.
    trusted = weights_only is False or (weights_only is None and pickle_module is not None)
    if pickle_load_args and not trusted:
        warnings.warn("pickle_load_args only works if `weights_only=False`.", UserWarning, stacklevel=2)
    if isinstance(f, (str, os.PathLike)):
        with open(f, "rb") as file:
            data = file.read()
    else:
        if not hasattr(f, "seek"):
            raise AttributeError(
                f"'{type(f).__name__}' object has no attribute 'seek'. You can only torch.load from a file that is seekable. Please "
                "pre-load the data into a buffer like io.BytesIO and try to load from it instead."
            )
        data = f.read()
    if not data and not mmap:
        raise EOFError(*(["Ran out of input"] if trusted else []))
    if not data.startswith(b"PK"):
        if mmap:
            path = f"{f}, " if isinstance(f, (str, os.PathLike)) else ""
            raise RuntimeError(
                f"mmap can only be used with files saved with `torch.save({path}_use_new_zipfile_serialization=True), please torch.save "
                "your checkpoint with this option in order to use mmap."
            )
        _check_arguments(pickle_load_args, trusted, "load")
        return _load_stream(data, trusted, map_location)
    if mmap and not isinstance(f, (str, os.PathLike)):
        raise ValueError("f must be a file path in order to use the mmap argument")
    records = _rushlight.read_archive(data)
    if "constants.pkl" in records:
        warnings.warn(
            "'torch.load' received a zip file that looks like a TorchScript archive dispatching to 'torch.jit.load' "
            "(call 'torch.jit.load' directly to silence this warning)",
            UserWarning,
            stacklevel=2,
        )
        if trusted:
            from .jit import load as load_script

            return load_script(io.BytesIO(data), map_location=map_location)
        error = RuntimeError(
            f"Cannot use ``weights_only=True`` with TorchScript archives passed to ``torch.load``. {_DEFAULT_CHANGED}"
        )
        raise _noted(error, "``torch.jit.load`` runs such archives without trusting them.")
    if "data.pkl" not in records:
        raise RuntimeError(f"the file is no checkpoint: {_rushlight.describe_file(data)}")
    _check_arguments(pickle_load_args, trusted, "Unpickler.__init__")
    if not trusted:
        _check_operations(records["data.pkl"])
    loaded = _ArchiveUnpickler(records, trusted, map_location).load()
    _warn_of_sparse(trusted)
    return loaded


def _warn_of_sparse(trusted):
    """Warns of the time that looking at sparse tensors takes, where the checkpoint had any and is not trusted."""
    if _made_sparse[0] and not trusted:
        warnings.warn(
            "Validating sparse tensor invariants because weights_only=True; this is an O(nnz) scan per sparse tensor and may be slow "
            "for large checkpoints.",
            UserWarning,
            stacklevel=3,
        )
    _made_sparse[0] = False


def _is_zipfile(f):
    """Whether a file begins, where it stands, as archives do."""
    start = f.tell()
    begin = f.read(4)
    f.seek(start)
    return begin == b"PK\x03\x04"
