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
Tensor.untyped_storage, Tensor.storage, Tensor._typed_storage, Tensor.is_shared = _untyped_storage, _storage, _storage, _is_shared
