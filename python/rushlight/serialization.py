"""``torch.save`` and ``torch.load``: tensors and containers in the zip form of PyTorch's checkpoints.

Loading runs no code of the file: only the types below, and those that a program allows, are made. A program that trusts
a file says so with ``weights_only=False``; then Python's own unpickling applies.
"""

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

from . import _rushlight
from . import _names
from ._names import Size
from ._pickling import _rebuild_of_class
from ._rushlight import ScriptFunction, ScriptObject, Tensor, device, dtype
from ._tensor_kinds import overrides_tensors
from .jit._pickling import refuse_function, refuse_module
from .jit._script_module import ScriptModule
from .nn.parameter import Buffer, Parameter

_STORAGES = {
    "float32": "FloatStorage", "float64": "DoubleStorage", "float16": "HalfStorage", "bfloat16": "BFloat16Storage",
    "uint8": "ByteStorage", "int8": "CharStorage", "int16": "ShortStorage", "int32": "IntStorage", "int64": "LongStorage",
    "bool": "BoolStorage", "complex64": "ComplexFloatStorage", "complex128": "ComplexDoubleStorage",
    "quint8": "QUInt8Storage", "qint8": "QInt8Storage", "qint32": "QInt32Storage",
}
# Dtypes without a class of storages: their tensors name a storage of bytes, and the dtype.
_UNNAMED = (
    "uint16", "uint32", "uint64", "float8_e5m2", "float8_e4m3fn", "float8_e5m2fnuz", "float8_e4m3fnuz", "float8_e8m0fnu",
)
# The integers behind quantized numbers.
_INTEGERS = {_names.quint8: _names.uint8, _names.qint8: _names.int8, _names.qint32: _names.int32}


class _Global:
    """A name in a pickle, whether or not it can be imported here."""

    def __init__(self, module, name):
        self.module = module
        self.name = name

    def __call__(self, *_):
        raise TypeError(f"{self.module}.{self.name} is a name in a pickle, not a function")


_REBUILD_TENSOR = _Global("torch._utils", "_rebuild_tensor_v2")
_REBUILD_UNNAMED = _Global("torch._utils", "_rebuild_tensor_v3")
_REBUILD_SPARSE = _Global("torch._utils", "_rebuild_sparse_tensor")
_GET_LAYOUT = _Global("torch.serialization", "_get_layout")
_REBUILD_QUANTIZED = _Global("torch._utils", "_rebuild_qtensor")
_SCRIPT_OBJECT = _Global("torch", "ScriptObject")
_REBUILD_PARAMETER = _Global("torch._utils", "_rebuild_parameter")
_REBUILD_OF_CLASS = _Global("torch._tensor", "_rebuild_from_type_v2")
_REBUILD_META = _Global("torch._utils", "_rebuild_meta_tensor_no_storage")
_NAMES = {name: _Global("torch", storage) for name, storage in _STORAGES.items()}
_BYTES = _Global("torch.storage", "UntypedStorage")
_NAMES.update((name, _BYTES) for name in _UNNAMED)


class _StorageRef:
    """The memory behind a tensor, as a persistent id."""

    def __init__(self, key, tensor, count, with_view):
        self.id = ("storage", _NAMES[tensor.dtype.name], key, "cpu", count)
        if with_view:
            self.id += (None,)


class _Pickler(pickle._Pickler):
    """Writes the pickle of a checkpoint and collects the storages."""

    def __init__(self, file, with_view=False):
        super().__init__(file, protocol=2)
        self.with_view = with_view
        self.storages = {}
        self._refs = {}

    def persistent_id(self, obj):
        return obj.id if isinstance(obj, _StorageRef) else None

    def save(self, obj, save_persistent_id=True):
        if isinstance(obj, Tensor):
            return self._save_tensor(obj)
        if isinstance(obj, _Global):
            return self._save_name(obj, obj.module, obj.name)
        if isinstance(obj, dtype):
            return self._save_name(obj, "torch", obj.name)
        if isinstance(obj, device):
            args = (obj.type,) if obj.index is None else (obj.type, obj.index)
            return self._save_call(obj, _Global("torch", "device"), args)
        if isinstance(obj, Size):
            return self._save_call(obj, _Global("torch", "Size"), (tuple(obj),))
        if isinstance(obj, ScriptObject):
            return self._save_packed(obj)
        if isinstance(obj, _SCRIPTS):
            _refuse_script(obj)
        if isinstance(obj, _names.qscheme) and obj in _SCHEMES:
            return self._save_name(obj, "torch", str(obj).removeprefix("torch."))
        return super().save(obj, save_persistent_id)

    def save_global(self, obj, name=None):
        module = getattr(obj, "__module__", None) or ""
        if module == __package__ or module.startswith(__package__ + "."):
            public = "torch" + module[len(__package__):]
            return self._save_name(obj, public, name or obj.__qualname__)
        try:
            return super().save_global(obj, name)
        except pickle.PicklingError:
            own = name or getattr(obj, "__qualname__", None) or obj.__name__
            if "<locals>" in own:
                raise AttributeError(f"Can't pickle local object '{own}'") from None
            raise pickle.PicklingError(f"Can't pickle {obj!r}: attribute lookup {own} on {module} failed") from None

    dispatch = dict(pickle._Pickler.dispatch)
    dispatch[type(save_global)] = save_global

    def _known(self, obj):
        known = self.memo.get(id(obj))
        if known is not None:
            self.write(self.get(known[0]))
        return known is not None

    def _save_name(self, obj, module, name):
        if not self._known(obj):
            self.write(pickle.GLOBAL + f"{module}\n{name}\n".encode())
            self.memoize(obj)

    def _save_call(self, obj, function, args):
        if not self._known(obj):
            self.save_reduce(function, args, obj=obj)

    def _save_packed(self, obj):
        """Packed parameters: an object of their class, and its state."""
        from ._packed import pair

        if self._known(obj):
            return
        state = pair(obj)
        self.save(_SCRIPT_OBJECT)
        self.save(())
        self.write(pickle.NEWOBJ)
        self.memoize(obj)
        self.save(state)
        self.write(pickle.BUILD)

    def _save_tensor(self, tensor):
        if self._known(tensor):
            return
        if not overrides_tensors(type(tensor)):
            return self._save_plain_tensor(tensor)
        from ._internals import DisableTorchFunction

        with DisableTorchFunction():
            self._save_plain_tensor(tensor)

    def _save_plain_tensor(self, tensor):
        if tensor.layout != _names.strided:
            layout, parts = tensor.state()
            return self.save_reduce(_REBUILD_SPARSE, (_Plain(_GET_LAYOUT, (str(layout),)), parts), obj=tensor)
        grad = tensor.requires_grad
        if tensor.is_meta:
            looks = (tensor.dtype, tuple(tensor.shape), tuple(tensor.stride()))
            if isinstance(tensor, Parameter):
                plain = _Plain(_REBUILD_META, looks + (False,))
                return self.save_reduce(_REBUILD_PARAMETER, (plain, grad, collections.OrderedDict()), obj=tensor)
            return self.save_reduce(_REBUILD_META, looks + (grad,), obj=tensor)
        key, count, _, _ = _rushlight.storage_of(tensor)
        if key not in self._refs:
            size = count * tensor.element_size() if tensor.dtype.name in _UNNAMED else count
            self._refs[key] = _StorageRef(str(len(self._refs)), tensor, size, self.with_view)
            self.storages[self._refs[key].id[2]] = tensor
        marks = {name: True for name, has in (("neg", tensor.is_neg()), ("conj", tensor.is_conj())) if has}
        extra = (marks,) if marks else ()
        rebuild = _REBUILD_TENSOR
        if tensor.dtype.name in _UNNAMED:
            rebuild, extra = _REBUILD_UNNAMED, (tensor.dtype,) + extra
        parts = (self._refs[key], tensor.storage_offset(), tuple(tensor.shape), tuple(tensor.stride()))
        if tensor.is_quantized:
            self.save_reduce(_REBUILD_QUANTIZED, parts + (_scheme(tensor), False, collections.OrderedDict()), obj=tensor)
        elif isinstance(tensor, Parameter):
            plain = _Plain(rebuild, parts + (False, collections.OrderedDict()) + extra)
            self.save_reduce(_REBUILD_PARAMETER, (plain, grad, collections.OrderedDict()), obj=tensor)
        else:
            args = parts + (grad, collections.OrderedDict()) + extra
            if overrides_tensors(type(tensor)):
                # Its class, and the attributes that it was given.
                rebuild, args = _REBUILD_OF_CLASS, (rebuild, type(tensor), args, dict(vars(tensor)))
            self.save_reduce(rebuild, args, obj=tensor)


# What checkpoints do not hold.
_SCRIPTS = (ScriptModule, ScriptFunction)


def _refuse_script(script):
    refuse_function() if isinstance(script, ScriptFunction) else refuse_module(script)


# How numbers may be quantized.
_SCHEMES = tuple(_names.NAMES[name] for name in (
    "per_tensor_affine", "per_tensor_symmetric", "per_channel_affine", "per_channel_symmetric", "per_channel_affine_float_qparams",
))


def _scheme(tensor):
    """How a tensor is quantized, as pickles say it."""
    if tensor.qscheme() == _names.per_tensor_affine:
        return _names.per_tensor_affine, tensor.q_scale(), tensor.q_zero_point()
    # Zero points say by their dtype whether they are numbers.
    return (
        _names.per_channel_affine, tensor.q_per_channel_scales(), tensor.q_per_channel_zero_points(), tensor.q_per_channel_axis(),
    )


class _Plain:
    """The tensor inside a parameter."""

    def __init__(self, rebuild, args):
        self.rebuild, self.args = rebuild, args

    def __reduce_ex__(self, protocol):
        return self.rebuild, self.args


# Names that programs import, with the values that they have there.
DEFAULT_PROTOCOL = 2
STORAGE_KEY_SEPARATOR = ","
LONG_SIZE, INT_SIZE, SHORT_SIZE = 4, 4, 2
MAP_LOCATION = Callable[[Any, str], Any] | device | str | dict[str, str] | None
FileLike = FILE_LIKE = str | os.PathLike | IO[bytes]

# What a stream begins with, the protocol that follows, and the sizes that its pickles mean.
_MAGIC = 0x1950A86A20F9469CFC6C
_PROTOCOL = 1001
MAGIC_NUMBER, PROTOCOL_VERSION = _MAGIC, _PROTOCOL
_SYSTEM = {
    "protocol_version": _PROTOCOL, "little_endian": sys.byteorder == "little", "type_sizes": {"short": 2, "int": 4, "long": 4},
}


def _save_stream(obj):
    """The bytes of a checkpoint as PyTorch wrote them before 1.6."""
    buffer = io.BytesIO()
    for part in (_MAGIC, _PROTOCOL, _SYSTEM):
        pickle.dump(part, buffer, protocol=2)
    pickler = _Pickler(buffer, with_view=True)
    pickler.dump(obj)
    pickle.dump(list(pickler.storages), buffer, protocol=2)
    for tensor in pickler.storages.values():
        _, count, _, elements = _rushlight.storage_of(tensor)
        buffer.write(count.to_bytes(8, "little"))
        buffer.write(elements())
    return buffer.getvalue()


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
        archive = _save_archive(obj, folder)
    else:
        archive = _save_stream(obj)
    if is_path:
        _rushlight.write_file(os.fspath(f), archive)
    else:
        f.write(archive)


def _save_archive(obj, folder):
    """The bytes of a checkpoint as an archive."""
    buffer = io.BytesIO()
    pickler = _Pickler(buffer)
    pickler.dump(obj)
    records = [("data.pkl", buffer.getvalue()), (".format_version", b"1"), (".storage_alignment", b"64"), ("byteorder", sys.byteorder.encode())]
    records += [(f"data/{key}", _rushlight.storage_of(tensor)[-1]()) for key, tensor in pickler.storages.items()]
    records.append(("version", b"3\n"))
    return _rushlight.write_archive(folder, records)


def _rebuild_tensor(storage, offset, size, stride, requires_grad=False, _hooks=None, _metadata=None):
    tensor = storage.as_strided(size, stride, offset)
    if _metadata and _metadata.get("neg"):
        tensor = torch._neg_view(tensor)
    if _metadata and _metadata.get("conj"):
        tensor = tensor.conj()
    return tensor.requires_grad_(True) if requires_grad else tensor


def _rebuild_unnamed(storage, offset, size, stride, requires_grad, hooks, dtype, metadata=None):
    return _rebuild_tensor(storage.view(dtype), offset, size, stride, requires_grad, hooks, metadata)


def _rebuild_meta(dtype, size, stride, requires_grad=False):
    tensor = torch.empty_strided(size, stride, dtype=dtype, device="meta")
    return tensor.requires_grad_(True) if requires_grad else tensor


def _rebuild_quantized(storage, offset, size, stride, scheme, requires_grad=False, _hooks=None):
    kind, scale, zero_point, *axis = scheme
    integers = storage.as_strided(size, stride, offset)
    if kind == _names.per_tensor_affine:
        made = torch._make_per_tensor_quantized_tensor(integers, scale, zero_point)
    elif kind in (_names.per_channel_affine, _names.per_channel_affine_float_qparams):
        made = torch._make_per_channel_quantized_tensor(integers, scale, zero_point, axis[0])
    else:
        raise RuntimeError(f"Can't deserialize quantized tensor with qscheme {kind}")
    return made


def _rebuild_sparse_tensor(layout, data):
    from ._sparse._makers import check
    from ._sparse._tensor import rebuild

    tensor = rebuild(layout, data)
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


def _rebuild_buffer(data, requires_grad, persistent):
    return Buffer(data, persistent)


# What a checkpoint may be made of.
_ALLOWED = {
    ("collections", "OrderedDict"): collections.OrderedDict,
    ("collections", "Counter"): collections.Counter,
    ("collections", "defaultdict"): collections.defaultdict,
    ("builtins", "set"): set, ("__builtin__", "set"): set,
    ("builtins", "frozenset"): frozenset, ("__builtin__", "frozenset"): frozenset,
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
    ("torch._tensor", "_rebuild_from_type_v2"): _rebuild_of_class,
    ("torch._utils", "_rebuild_meta_tensor_no_storage"): _rebuild_meta,
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
    """Old checkpoints of whole modules carried their source. They are not read here, so nothing warns."""


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


def _check_operations(data):
    """Refuses a stream that begins with something else than a pickle of few operations."""
    import pickletools

    position, remembered = 0, set()
    try:
        for operation, argument, position in pickletools.genops(data):
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


class _Unpickler(pickle.Unpickler):
    """Makes what is allowed, or anything for a trusted file."""

    def __init__(self, file, trusted, location=None):
        super().__init__(file, encoding="utf-8")
        self.trusted = trusted
        self.location = location
        self.storages = {}
        # Whether something stands for packed parameters.
        self.has_packed = False

    def find_class(self, module, name):
        for known in (_ALLOWED, _added):
            if (module, name) in known:
                return known[module, name]
        if self.trusted:
            if (module, name) == ("torch", "ScriptObject"):
                self.has_packed = True
                return _Packed
            return super().find_class(_own_module(module), name)
        path = f"{module}.{name}"
        raise pickle.UnpicklingError(_TWO_WAYS.format(_DEFAULT_CHANGED, path, path, path))

    def load(self):
        try:
            loaded = super().load()
            return _settle(loaded, {}) if self.has_packed else loaded
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
        return storage if view is None else storage[view[1]:view[1] + view[2]]


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
        if self.is_swapped and len(data) % kind.itemsize == 0:
            data = _swapped(data, kind)
        return _rushlight.tensor_from_bytes(data, _INTEGERS.get(kind, kind), [count])


class _StreamUnpickler(_Unpickler):
    """One of the pickles of a stream, whose storages follow after them."""

    def __init__(self, file, trusted, location=None):
        super().__init__(file, trusted, location)
        # Every storage takes part of the stream: together they cannot be larger than it is.
        self.room = file.getbuffer().nbytes

    def read(self, key, kind, count):
        """Room for the elements of a storage, which the stream brings later."""
        size = count * kind.itemsize
        self.room -= size
        if self.room < 0:
            raise RuntimeError(f"unexpected EOF, expected {-self.room} more bytes. The file might be corrupted.")
        return _rushlight.tensor_from_bytes(bytes(size), _INTEGERS.get(kind, kind), [count])


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
    unpickler = _StreamUnpickler(file, trusted, location)
    result = unpickler.load()
    for key in _StreamUnpickler(file, trusted).load():
        storage = unpickler.storages.get(key)
        if storage is None:
            raise RuntimeError(f"the stream brings a storage {key} that nothing asked for")
        size = storage.dtype.itemsize
        count = int.from_bytes(_take(file, 8), "little")
        if count != storage.numel():
            raise RuntimeError(f"storage has wrong byte size: expected {count * size} got {storage.numel() * size}")
        elements = _take(file, count * size)
        if not storage.is_meta:
            storage.copy_(_rushlight.tensor_from_bytes(elements, storage.dtype, [count]))
    return result


def load(f, map_location=None, pickle_module=None, *, weights_only=None, mmap=None, **pickle_load_args):
    """Loads what ``torch.save`` wrote, of this library or PyTorch.

    Only tensors, containers and the classes that :func:`add_safe_globals` allows are made, unless `weights_only` is False:
    then the file may run any code, as Python's pickles may.
    """
    trusted = weights_only is False
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
    if not data:
        raise EOFError(*(["Ran out of input"] if trusted else []))
    if not data.startswith(b"PK"):
        return _load_stream(data, trusted, map_location)
    records = _rushlight.read_archive(data)
    if "constants.pkl" in records:
        if trusted:
            from .jit import load as load_script

            warnings.warn(
                "'torch.load' received a zip file that looks like a TorchScript archive dispatching to 'torch.jit.load' "
                "(call 'torch.jit.load' directly to silence this warning)",
                UserWarning,
                stacklevel=2,
            )
            return load_script(io.BytesIO(data), map_location=map_location)
        error = RuntimeError(
            f"Cannot use ``weights_only=True`` with TorchScript archives passed to ``torch.load``. {_DEFAULT_CHANGED}"
        )
        raise _noted(error, "``torch.jit.load`` runs such archives without trusting them.")
    if "data.pkl" not in records:
        raise RuntimeError(f"the file is no checkpoint: {_rushlight.describe_file(data)}")
    return _ArchiveUnpickler(records, trusted, map_location).load()


def _is_zipfile(f):
    """Whether a file begins, where it stands, as archives do."""
    start = f.tell()
    begin = f.read(4)
    f.seek(start)
    return begin == b"PK\x03\x04"
