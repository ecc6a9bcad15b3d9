"""How ``torch.save`` writes: the pickle of a checkpoint, and the storages beside it or after it."""

import collections
import io
import pickle
import sys

from . import _checkpoint_options as _options
from . import _rushlight
from . import _names
from ._alias import home_of
from ._names import Size
from ._rushlight import ScriptFunction, ScriptObject, Tensor, device, dtype
from ._tensor_kinds import overrides_tensors
from .jit._pickling import refuse_function, refuse_module
from .jit._script_module import ScriptModule
from .nn.parameter import Parameter
from .storage import TypedStorage, UntypedStorage

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
_REBUILD_PARAMETER_WITH = _Global("torch._utils", "_rebuild_parameter_with_state")
_REBUILD_OF_CLASS = _Global("torch._tensor", "_rebuild_from_type_v2")
_REBUILD_META = _Global("torch._utils", "_rebuild_meta_tensor_no_storage")
_NAMES = {name: _Global("torch", storage) for name, storage in _STORAGES.items()}
_BYTES = _Global("torch.storage", "UntypedStorage")
_ITEM_SIZES = {kind: _names.NAMES[name].itemsize for name, kind in _NAMES.items()}
# Two names of bytes.
_PLAIN_BYTES = {_BYTES, _NAMES["uint8"]}
_NAMES.update((name, _BYTES) for name in _UNNAMED)


class _StorageRef:
    """The memory behind a tensor, as a persistent id."""

    def __init__(self, key, kind, count, with_view):
        self.id = ("storage", kind, key, "cpu", count)
        if with_view:
            self.id += (None,)


class _Pickler(pickle._Pickler):
    """Writes the pickle of a checkpoint and collects the storages."""

    def __init__(self, file, with_view=False, protocol=2):
        super().__init__(file, protocol=protocol)
        self.with_view = with_view
        self.storages = {}
        # How many elements they have, or bytes.
        self.counts = {}
        self._refs = {}

    def persistent_id(self, obj):
        # A tuple of its own each time, so that each is written in full.
        return (*obj.id,) if isinstance(obj, _StorageRef) else None

    def save(self, obj, save_persistent_id=True):
        if isinstance(obj, Tensor):
            return self._save_tensor(obj)
        if isinstance(obj, (UntypedStorage, TypedStorage)):
            kind = _BYTES if isinstance(obj, UntypedStorage) else _NAMES[obj.dtype.name]
            obj = self._reference(obj.untyped()._tensor, kind)
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
        if isinstance(obj, _rushlight.Code):
            return self._save_constant(obj)
        return super().save(obj, save_persistent_id)

    def save_global(self, obj, name=None):
        module = getattr(obj, "__module__", None) or ""
        if module == __package__ or module.startswith(__package__ + "."):
            own = name or obj.__qualname__
            return self._save_name(obj, "torch" if module == __package__ else home_of(module, own), own)
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
        if self._known(obj):
            return
        if self.proto >= 4:
            self.save(module)
            self.save(name)
            self.write(pickle.STACK_GLOBAL)
        else:
            self.write(pickle.GLOBAL + f"{module}\n{name}\n".encode())
        self.memoize(obj)

    def _save_constant(self, obj):
        """A layout or a way to quantize; there are no memory formats in checkpoints."""
        if obj in _SCHEMES:
            return self._save_name(obj, "torch", str(obj).removeprefix("torch."))
        if obj not in _LAYOUTS:
            raise TypeError("cannot pickle 'module' object")
        self._save_call(obj, _GET_LAYOUT, (str(obj),))

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

    def _reference(self, tensor, kind):
        """What stands for the storage of a tensor, as one of a kind of elements."""
        key, count, _, _ = _rushlight.storage_of(tensor)
        known = self._refs.get(key)
        if known is None:
            size = count * tensor.element_size()
            count = size if kind is _BYTES else size // _ITEM_SIZES[kind]
            known = self._refs[key] = _StorageRef(str(len(self._refs)), kind, count, self.with_view)
            self.storages[known.id[2]] = tensor
            self.counts[known.id[2]] = count
        elif count and known.id[1] is not kind and {known.id[1], kind} != _PLAIN_BYTES:
            raise RuntimeError("Cannot save multiple tensors or storages that view the same data as different types")
        return known

    def _save_plain_tensor(self, tensor):
        if tensor.is_nested:
            return self.save_reduce(*tensor.__reduce_ex__(self.proto), obj=tensor)
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
        storage = self._reference(tensor, _NAMES[tensor.dtype.name])
        marks = {name: True for name, has in (("neg", tensor.is_neg()), ("conj", tensor.is_conj())) if has}
        extra = (marks,) if marks else ()
        rebuild = _REBUILD_TENSOR
        if tensor.dtype.name in _UNNAMED:
            rebuild, extra = _REBUILD_UNNAMED, (tensor.dtype,) + extra
        parts = (storage, tensor.storage_offset(), tuple(tensor.shape), tuple(tensor.stride()))
        if tensor.is_quantized:
            self.save_reduce(_REBUILD_QUANTIZED, parts + (_scheme(tensor), False, collections.OrderedDict()), obj=tensor)
        elif isinstance(tensor, Parameter):
            plain = _Plain(rebuild, parts + (False, collections.OrderedDict()) + extra)
            args, state = (plain, grad, collections.OrderedDict()), dict(vars(tensor))
            if state:
                self.save_reduce(_REBUILD_PARAMETER_WITH, args + (state,), obj=tensor)
            else:
                self.save_reduce(_REBUILD_PARAMETER, args, obj=tensor)
        else:
            args = parts + (grad, collections.OrderedDict()) + extra
            state = dict(vars(tensor))
            if overrides_tensors(type(tensor)) or state:
                # Its class, and the attributes that it was given.
                rebuild, args = _REBUILD_OF_CLASS, (rebuild, type(tensor), args, state)
            self.save_reduce(rebuild, args, obj=tensor)


# What checkpoints do not hold.
_SCRIPTS = (ScriptModule, ScriptFunction)


def _refuse_script(script):
    refuse_function() if isinstance(script, ScriptFunction) else refuse_module(script)


_LAYOUTS = tuple(_names.NAMES[name] for name in (
    "strided", "sparse_coo", "sparse_csr", "_mkldnn", "sparse_csc", "sparse_bsr", "sparse_bsc", "jagged",
))
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


# What a stream begins with, the protocol that follows, and the sizes that its pickles mean.
_MAGIC = 0x1950A86A20F9469CFC6C
_PROTOCOL = 1001
_SYSTEM = {
    "protocol_version": _PROTOCOL, "little_endian": sys.byteorder == "little", "type_sizes": {"short": 2, "int": 4, "long": 4},
}


def _save_stream(obj, protocol=2):
    """The bytes of a checkpoint as PyTorch wrote them before 1.6."""
    buffer = io.BytesIO()
    for part in (_MAGIC, _PROTOCOL, _SYSTEM):
        pickle.dump(part, buffer, protocol=protocol)
    pickler = _Pickler(buffer, with_view=True, protocol=protocol)
    pickler.dump(obj)
    pickle.dump(list(pickler.storages), buffer, protocol=protocol)
    for key, tensor in pickler.storages.items():
        elements = _rushlight.storage_of(tensor)[-1]
        buffer.write(pickler.counts[key].to_bytes(8, "little"))
        buffer.write(elements())
    return buffer.getvalue()


def _elements(tensor):
    """The bytes of a storage; where data is skipped, as many zeros."""
    _, count, _, read = _rushlight.storage_of(tensor)
    return bytes(count * tensor.element_size()) if _options.skips_data() else read()


def _save_archive(obj, folder, protocol=2):
    """The bytes of a checkpoint as an archive."""
    buffer = io.BytesIO()
    pickler = _Pickler(buffer, protocol=protocol)
    pickler.dump(obj)
    records = [("data.pkl", buffer.getvalue()), (".format_version", b"1"), (".storage_alignment", b"64"), ("byteorder", sys.byteorder.encode())]
    records += [(f"data/{key}", _elements(tensor)) for key, tensor in pickler.storages.items()]
    records.append(("version", b"3\n"))
    return _rushlight.write_archive(folder, records)
