"""Tensors on their way between processes, and memory that processes share: files that are mapped, in memory where the
system has a place for that. Who made one takes its name away at its end; the memory stays while somebody has it.
"""

import copyreg
import itertools
import os
import tempfile
from multiprocessing.reduction import ForkingPickler
from multiprocessing.util import Finalize

from .. import Tensor, _rushlight, from_file, uint8
from ..nn.parameter import Buffer, Parameter

__all__ = ["init_reductions"]

_PLACE = "/dev/shm"

# By the address of a storage: its file, and a tensor that keeps the address from being used again.
_shared = {}
# The names that this process has to take away.
_owned = []
_numbers = itertools.count()


def _remove_names():
    for owner, path in _owned:
        if owner == os.getpid():
            try:
                os.unlink(path)
            except FileNotFoundError:
                pass


def _new_file(data):
    if all(owner != os.getpid() for owner, _ in _owned):
        # Processes that were started by another do not run what is registered with `atexit`.
        Finalize(None, _remove_names, exitpriority=1)
    folder = _PLACE if os.path.isdir(_PLACE) else None
    descriptor, path = tempfile.mkstemp(prefix=f"rushlight_{os.getpid()}_{next(_numbers)}_", dir=folder)
    _owned.append((os.getpid(), path))
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
    return path


def _map(path, size):
    """The bytes of a file, as a tensor; the same memory for all who map it here."""
    memory = from_file(path, shared=True, size=size, dtype=uint8)
    _shared[memory.data_ptr()] = path, memory
    return memory


def is_shared(tensor):
    """Whether other processes may have the memory of a tensor."""
    return _rushlight.storage_of(tensor)[0] in _shared


def _over(memory, like):
    """A tensor over other memory that is laid out alike."""
    return memory.view(like.dtype).as_strided(like.shape, like.stride(), like.storage_offset())


def share_memory(tensor):
    """Moves a tensor to memory that other processes can have too. Other tensors over its memory stay where they are."""
    if not is_shared(tensor) and tensor.numel():
        _, _, size, read = _rushlight.storage_of(tensor)
        # Whole elements, so that the bytes can be seen as any type.
        padded = -(-size // 16) * 16
        memory = _map(_new_file(read().ljust(padded, b"\0")), padded)
        tensor.data = _over(memory, tensor)
    return tensor


def rebuild_tensor(path, size, dtype, shape, stride, offset, requires_grad, kind):
    """The tensor over shared memory that another process has sent."""
    known = next((memory for name, memory in _shared.values() if name == path), None)
    memory = _map(path, size) if known is None else known
    tensor = memory.view(_rushlight.dtype(dtype)).as_strided(shape, stride, offset)
    if kind is Parameter:
        return Parameter(tensor, requires_grad)
    if kind is Buffer:
        return Buffer(tensor)
    return tensor.requires_grad_(requires_grad)


def reduce_tensor(tensor):
    """How a tensor travels: by the name of its memory where that is shared, else by its elements."""
    if tensor.requires_grad and not tensor.is_leaf:
        raise RuntimeError(
            "Cowardly refusing to serialize non-leaf tensor which requires_grad, since autograd does not support crossing "
            "process boundaries.  If you just want to transfer the data, call detach() on the tensor before serializing "
            "(e.g., putting it on the queue)."
        )
    address, _, size, _ = _rushlight.storage_of(tensor)
    if address not in _shared:
        reduce = copyreg.dispatch_table.get(type(tensor))
        return tensor.__reduce_ex__(2) if reduce is None else reduce(tensor)
    layout = tuple(tensor.shape), tuple(tensor.stride()), tensor.storage_offset()
    return rebuild_tensor, (_shared[address][0], size, tensor.dtype.name, *layout, tensor.requires_grad, type(tensor))


def init_reductions():
    """Makes queues, pipes and processes send tensors this way."""
    for kind in (Tensor, Parameter, Buffer):
        ForkingPickler.register(kind, reduce_tensor)
