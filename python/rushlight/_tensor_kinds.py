"""What a tensor can be asked about its kind and its memory. Tensors are dense and on the CPU here."""

from . import _rushlight
from ._attributes import read_only

Tensor = _rushlight.Tensor

# What no tensor is.
_NEVER = (
    "is_ipu", "is_maia", "is_mkldnn", "is_mps", "is_mtia", "is_nested", "is_sparse_csr", "is_vulkan", "is_xla", "is_xpu",
)  # fmt: skip

for _name in _NEVER:
    read_only(_name, lambda self: False, "False: tensors are dense and on the CPU.")


def __hash__(self):
    return id(self)


Tensor.__hash__ = __hash__
read_only("is_cpu", lambda self: self.device.type == "cpu", "Whether the tensor is on the CPU.")
read_only("is_meta", lambda self: self.device.type == "meta", "Whether the tensor has sizes alone, no elements.")


def _cuda_array_interface(self):
    raise AttributeError(
        f"Can't get __cuda_array_interface__ on non-CUDA tensor type: {self.type()} If CUDA data is required use tensor.cuda() to copy "
        "tensor to device memory."
    )


Tensor.__cuda_array_interface__ = property(_cuda_array_interface, doc="What tensors on the CPU do not have.")


def _untyped_storage(self):
    """The bytes behind the tensor."""
    from .storage import untyped_storage

    return untyped_storage(self)


def _typed_storage(self):
    """The elements behind the tensor."""
    from .storage import typed_storage

    return typed_storage(self)


def _storage(self):
    """The elements behind the tensor, as older programs ask for them."""
    from .storage import warn_of_removal

    warn_of_removal()
    return _typed_storage(self)


def _is_shared(self):
    """Whether other processes may have the memory."""
    from sys import modules

    # Nothing is shared before the module that does it is there.
    sharing = modules.get(__package__ + ".multiprocessing.reductions")
    return sharing is not None and sharing.is_shared(self)


def _share_memory_(self):
    """Moves the elements to memory that other processes can have too."""
    from .multiprocessing import reductions

    return reductions.share_memory(self)


Tensor.share_memory_ = _share_memory_
Tensor.untyped_storage, Tensor.storage, Tensor._typed_storage, Tensor.is_shared = _untyped_storage, _storage, _typed_storage, _is_shared


_own_dlpack_device = Tensor.__dlpack_device__


def _dlpack_device(self):
    """The kind of the device, as libraries tell each other, and its number."""
    from .utils._dlpack_devices import DLDeviceType

    kind, number = _own_dlpack_device(self)
    return DLDeviceType(kind), number


Tensor.__dlpack_device__ = _dlpack_device


_set = Tensor.set_


def _set_(self, *args, **kwargs):
    """Shows the memory of a tensor or a storage, of these sizes and strides from this element on; without arguments none."""
    if self.requires_grad and self.is_leaf and _rushlight.is_grad_enabled():
        raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")
    source = args[0] if args else kwargs.get("source")
    if source is None or isinstance(source, Tensor):
        return _set(self, *args, **kwargs)
    from .storage import elements_of

    source = elements_of(source, self.dtype)
    if source is not None:
        args, kwargs = ((source, *args[1:]), kwargs) if args else (args, {**kwargs, "source": source})
    return _set(self, *args, **kwargs)


Tensor.set_ = _set_


def _cuda(self, device=None, non_blocking=False, *, memory_format=None):
    """Refused: there is no GPU here."""
    return self.to(device="cuda" if device is None else device, non_blocking=non_blocking)


def _new(self, *args, **kwargs):
    """A tensor of the same type: of these sizes, or of these elements."""
    from ._old_constructors import made

    return made(args, kwargs, self.dtype, self.device.type)


def _filled(self, values):
    """The tensor with these values in order."""
    self.detach().copy_(_rushlight.tensor(values, dtype=self.dtype).reshape(self.shape))
    return self


def _apply_(self, callable):
    """Replaces every element by what a function makes of it."""
    if self.requires_grad:
        raise RuntimeError("Can't call apply_() on Variable that requires grad. Use var.detach().apply_() instead.")
    return _filled(self, list(map(callable, self.flatten().tolist())))


def _map_(self, tensor, callable):
    """Replaces every element by what a function makes of it and the one of another tensor."""
    return _mapped(self, "map_", {"'other'": tensor}, callable)


def _map2_(self, x, y, callable):
    """Replaces every element by what a function makes of it and those of two other tensors."""
    for place, (name, other) in enumerate((("x", x), ("y", y)), 1):
        if not isinstance(other, Tensor):
            raise TypeError(f"map2_(): argument '{name}' (position {place}) must be Tensor, not {type(other).__name__}")
    return _mapped(self, "map2_", {"argument 'x'": x, "argument 'y'": y}, callable)


def _mapped(self, method, others, callable):
    if any(tensor.requires_grad for tensor in (self, *others.values())):
        raise RuntimeError(f"Can't call {method}() on Variable that requires grad. Use var.detach().{method}() instead.")
    for name, other in others.items():
        if other.type() != self.type():
            raise TypeError(f"{method}: expected {self.type()} for {name} (got {other.type()})")
    columns = [other.expand(self.shape).flatten().tolist() for other in others.values()]
    made = list(map(callable, self.flatten().tolist(), *columns))
    wrong = next((value for value in made if not isinstance(value, Tensor) and not hasattr(value, "__float__")), None)
    if wrong is not None and self.is_floating_point():
        raise TypeError(f"must be real number, not {type(wrong).__name__}")
    return _filled(self, made)


Tensor.new, Tensor.apply_, Tensor.map_, Tensor.map2_, Tensor.cuda = _new, _apply_, _map_, _map2_, _cuda
for _method, _name in (
    (_new, "new"), (_cuda, "cuda"), (_apply_, "apply_"), (_map_, "map_"), (_map2_, "map2_"),
    (_share_memory_, "share_memory_"), (_untyped_storage, "untyped_storage"),
    (_storage, "storage"), (_is_shared, "is_shared"), (_set_, "set_"), (_dlpack_device, "__dlpack_device__"),
):  # fmt: skip
    _method.__name__ = _method.__qualname__ = _name
read_only("name", lambda self: None, "None: tensors have no names.")


def _absent_methods():
    from ._sparse_tensors import methods

    for name, method in methods().items():
        setattr(Tensor, name, method)
    for name in ("cholesky", "eig", "lstsq", "lu", "qr", "solve", "symeig"):
        setattr(Tensor, name, _matrix_method(name))


def _matrix_method(name):
    def method(self, *args, **kwargs):
        from . import _removed

        found = getattr(_removed, name)(self, *args, **kwargs)
        # Methods give no names to what they return.
        return tuple(found) if name == "lu" else found

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"See ``torch.{name}``."
    return method


def _record_stream(self, stream):
    """Refused: streams belong to devices."""
    raise RuntimeError("unknown parameter type")


def _to_padded_tensor(self, padding, output_size=None):
    """Refused: the tensor is no tensor of tensors."""
    raise NotImplementedError("Could not run 'aten::to_padded_tensor' with arguments from the 'CPU' backend. Tensors of tensors are not part of Rushlight.")


def _make_subclass(cls, data, require_grad=False):
    """A tensor of a derived class over the memory of another."""
    return data.detach().as_subclass(cls).requires_grad_(require_grad)


def _as_subclass(self, cls):
    """The same elements as a tensor of a derived class."""
    if not (isinstance(cls, type) and issubclass(cls, Tensor)):
        raise TypeError(
            "Creating a Tensor subclass from a class that does not inherit from Tensor is not possible. Make sure your class "
            "inherits from Tensor."
        )
    from ._internals import DisableTorchFunction

    with DisableTorchFunction():
        out = Tensor.__new__(cls, _alias(self))
    # What operators give back for this tensor from now on, changes in place above all.
    _rushlight.remember_tensor(out)
    return out


_alias = _rushlight.Builtin("aten::alias", "torch.alias")
_as_subclass.__name__ = _as_subclass.__qualname__ = "as_subclass"
Tensor.as_subclass = _as_subclass
Tensor.record_stream, Tensor.to_padded_tensor = _record_stream, _to_padded_tensor
_record_stream.__name__ = _record_stream.__qualname__ = "record_stream"
_to_padded_tensor.__name__ = _to_padded_tensor.__qualname__ = "to_padded_tensor"
Tensor._make_subclass = staticmethod(_make_subclass)


def _make_wrapper_subclass(cls, size, *args, **kwargs):
    """A tensor with sizes and no elements, of a class that answers operators itself."""
    from ._wrapper_subclasses import make

    return make(cls, size, *args, **kwargs)


Tensor._make_wrapper_subclass = staticmethod(_make_wrapper_subclass)


_absent_methods()


def _nonzero(self, *, as_tuple=False):
    """Where the elements are not zero: [count, dimensions], or (``as_tuple``) the indices of each dimension."""
    from ._functions import nonzero

    return nonzero(self, as_tuple=as_tuple)


Tensor.nonzero = _nonzero
_nonzero.__name__ = _nonzero.__qualname__ = "nonzero"


def _question(name):
    def method(self, *args, **kwargs):
        from . import _tensor_questions

        return getattr(_tensor_questions, name)(self, *args, **kwargs)

    method.__name__ = method.__qualname__ = name
    return method


for _name in ("dim_order", "module_load", "storage_type"):
    setattr(Tensor, _name, _question(_name))


def _polygamma(self, n):
    """A derivative of the logarithm of the gamma function, of the given order."""
    from . import polygamma

    return polygamma(n, self)


def _polygamma_(self, n):
    """The same in place of the elements."""
    from . import ops

    return ops.aten.polygamma_(self, n)


Tensor.polygamma, Tensor.polygamma_ = _polygamma, _polygamma_
_polygamma.__name__ = _polygamma.__qualname__ = "polygamma"
_polygamma_.__name__ = _polygamma_.__qualname__ = "polygamma_"


def const_data_ptr(self):
    """The address of the first element, which is only read."""
    return self.data_ptr()


Tensor.const_data_ptr = const_data_ptr
Tensor.volatile = property(lambda self: False, doc="False: whether gradients are recorded is no property of a tensor.")


def _disabled_torch_function_impl(func, types, args=(), kwargs=None):
    """Calls a function as if its arguments were plain tensors. Classes that have it as ``__torch_function__`` are not asked."""
    from ._internals import DisableTorchFunctionSubclass

    with DisableTorchFunctionSubclass():
        return func(*args, **(kwargs or {}))


def overrides_tensors(cls):
    """Whether a class of tensors is asked for operators of its own."""
    return cls is not Tensor and cls.__torch_function__ is not _disabled_torch_function_impl


def _init_subclass(cls, **kwargs):
    """Operators ask tensors of classes that programs define, from the first such class on."""
    super(Tensor, cls).__init_subclass__(**kwargs)
    if cls.__module__.partition(".")[0] in ("rushlight", "torch"):
        if "__torch_function__" not in vars(cls):
            cls.__torch_function__ = staticmethod(_disabled_torch_function_impl)
        return
    # Who sees operators wants results as they come.
    if "__torch_dispatch__" in vars(cls) and getattr(cls.__torch_function__, "__func__", None) is _torch_function:
        cls.__torch_function__ = staticmethod(_disabled_torch_function_impl)
    if overrides_tensors(cls):
        from ._overriding import class_defined

        class_defined(cls)


def _torch_function(cls, func, types, args=(), kwargs=None):
    """Calls a function with plain tensors; results that are tensors become ones of the class."""
    from ._overriding import default

    return default(cls, func, types, args, kwargs)


_torch_function.__name__, _torch_function.__qualname__ = "__torch_function__", "Tensor.__torch_function__"
Tensor.__init_subclass__, Tensor.__torch_function__ = classmethod(_init_subclass), classmethod(_torch_function)
