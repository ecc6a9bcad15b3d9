"""What a tensor can be asked about its kind and its memory. Tensors are dense and on the CPU here."""

from . import _rushlight

Tensor = _rushlight.Tensor

# What no tensor is.
_NEVER = (
    "is_ipu", "is_maia", "is_mkldnn", "is_mps", "is_mtia", "is_nested", "is_sparse_csr", "is_vulkan", "is_xla", "is_xpu",
)  # fmt: skip

for _name in _NEVER:
    setattr(Tensor, _name, property(lambda self: False, doc="False: tensors are dense and on the CPU."))
Tensor.is_cpu = property(lambda self: self.device.type == "cpu", doc="Whether the tensor is on the CPU.")
Tensor.is_meta = property(lambda self: self.device.type == "meta", doc="Whether the tensor has sizes alone, no elements.")


def _untyped_storage(self):
    """The bytes behind the tensor."""
    from .storage import untyped_storage

    return untyped_storage(self)


def _storage(self):
    """The elements behind the tensor."""
    from .storage import typed_storage

    return typed_storage(self)


def _is_shared(self):
    """Whether other processes see the memory: none does."""
    return False


Tensor.untyped_storage, Tensor.storage, Tensor._typed_storage, Tensor.is_shared = _untyped_storage, _storage, _storage, _is_shared
