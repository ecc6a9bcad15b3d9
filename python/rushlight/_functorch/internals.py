"""``torch._C._functorch``: questions about tensors inside transforms."""

from . import _announced, _levels
from ._batched import Batched


def is_batchedtensor(tensor):
    """Whether a tensor stands for one sample under ``vmap``."""
    return type(tensor) is Batched


def is_gradtrackingtensor(tensor):
    """Whether a transform for gradients wraps a tensor: none does, the record knows them."""
    return False


is_functorch_wrapped_tensor = is_batchedtensor
is_legacy_batchedtensor = is_functionaltensor = is_gradtrackingtensor


def is_dead_tensor_wrapper(tensor):
    """Whether a tensor has left the ``vmap`` that it belongs to."""
    return type(tensor) is Batched and not tensor.level.alive


def get_unwrapped(tensor):
    """All samples of a tensor."""
    if type(tensor) is not Batched:
        raise RuntimeError("No wrappers present!")
    return tensor.value


def maybe_get_level(tensor):
    """The number of the transform that a tensor belongs to; -1 for plain ones."""
    return tensor.level.number if type(tensor) is Batched else -1


def maybe_get_bdim(tensor):
    """The dimension that counts samples; -1 for plain tensors."""
    return tensor.bdim if type(tensor) is Batched else -1


def maybe_current_level():
    """The number of the innermost transform; None where none runs."""
    levels = _levels.current()
    return levels[-1].number if levels else None


def current_level():
    """The number of the innermost transform."""
    found = maybe_current_level()
    if found is None:
        raise RuntimeError("no transform is running")
    return found


def get_dynamic_layer_stack_depth():
    """How many transforms run."""
    return len(_levels.current())


def peek_interpreter_stack():
    """The innermost transform; None where none runs."""
    levels = _levels.current()
    return levels[-1] if levels else None


def get_interpreter_stack():
    """The transforms that run; None where none does."""
    return list(_levels.current()) or None


def _unwrap_batched(tensor, level):
    """All samples of a tensor of a level, and the dimension that counts them."""
    if type(tensor) is Batched and tensor.level.number == level:
        return tensor.value, tensor.bdim
    return tensor, None


def _add_batch_dim(tensor, in_dim, level):
    """A tensor as samples of a level of ``vmap``, counted by a dimension."""
    from . import vmap

    return vmap._add_batch_dim(tensor, in_dim, level)


def _remove_batch_dim(tensor, level, batch_size, out_dim):
    """All samples of a level in one tensor, counted by a dimension."""
    from . import vmap

    return vmap._remove_batch_dim(tensor, level, batch_size, out_dim)


# The transforms that were begun by hand, the outermost first.
_begun = []


def _vmap_increment_nesting(batch_size, randomness):
    """Begins a ``vmap`` over so many samples. The number of its level."""
    from ._interpose import interposed

    entered = (interposed(), _levels.entered("vmap", batch_size, randomness))
    entered[0].__enter__()
    level = entered[1].__enter__()
    _begun.append(entered)
    return level.number


def _vmap_decrement_nesting():
    """Ends the ``vmap`` that was begun last. The number of its level."""
    if not _begun:
        raise RuntimeError("no vmap has been begun")
    interposing, entered = _begun.pop()
    entered.__exit__(None, None, None)
    interposing.__exit__(None, None, None)
    return entered.level.number


def _set_vmap_fallback_warning_enabled(enabled):
    """Whether it is said that operators go sample by sample."""
    _announced.warnings_enabled[0] = bool(enabled)


def _set_vmap_fallback_enabled(enabled):
    """Whether operators that the reference takes sample by sample are taken at all."""
    _announced.enabled[0] = bool(enabled)


def _is_vmap_fallback_enabled():
    """Whether operators that the reference takes sample by sample are taken."""
    return _announced.enabled[0]
