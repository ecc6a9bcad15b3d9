"""Checkpoints that keep the results of some operators: which ones a program says by a list or by a function.

A call that was kept is made again all the same, out of sight of modes: what runs backwards needs it recorded. Its values are those
that were kept, whatever the second call gives.
"""

import enum
from collections import defaultdict

import rushlight as torch

from ._python_dispatch import TorchDispatchMode, _disable_current_modes
from ._pytree import tree_map

__all__ = [
    "CheckpointPolicy", "GraphExecGroup", "SAC_IGNORED_OPS", "SelectiveCheckpointContext", "create_selective_checkpoint_contexts",
]

_NOT_FOUND = (
    "{} encountered during backward but not found in storage. This can happen if the operations in the checkpointed region are "
    "nondeterministic or depend on global state that changed between forward and backward."
)
_ignored = (
    "aten.detach.default aten.dim.default aten.is_contiguous.default aten.is_contiguous.memory_format "
    "aten.is_non_overlapping_and_dense.default aten.is_strides_like_format.default aten.numel.default aten.size.default "
    "aten.storage_offset.default aten.stride.default aten.sym_numel.default aten.sym_size.default aten.sym_storage_offset.default "
    "aten.sym_stride.default prim.device.default prim.layout.default"
)


class CheckpointPolicy(enum.Enum):
    """What becomes of the result of an operator: it is kept, or computed again."""

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3
    MUST_CPU_OFFLOAD = 4
    PREFER_CPU_OFFLOAD = 5


_KEPT = (CheckpointPolicy.MUST_SAVE, CheckpointPolicy.PREFER_SAVE)


class SelectiveCheckpointContext:
    """What a function that decides is told: whether the call is made again, and its result where it has one."""

    def __init__(self, *, is_recompute, op_output=None):
        self.is_recompute, self.op_output = is_recompute, op_output


class GraphExecGroup:
    """A context in which runs backwards belong together; there may be one at a time."""

    _current = None

    def __enter__(self):
        if GraphExecGroup._current is not None:
            raise RuntimeError(f"GraphExecGroup contexts cannot be nested. Already inside group {GraphExecGroup._current}")
        GraphExecGroup._current = self
        return self

    def __exit__(self, *_):
        GraphExecGroup._current = None

    @classmethod
    def _get_current_group(cls):
        return GraphExecGroup._current


def _overload(name):
    space, packet, overload = name.split(".")
    try:
        return getattr(getattr(getattr(torch.ops, space), packet), overload)
    except AttributeError:
        return None


# Operators that nobody is asked about.
SAC_IGNORED_OPS = {operator for operator in map(_overload, _ignored.split()) if operator is not None}

# In the place of results: of one that is computed again, and of one that was taken.
_AGAIN, _TAKEN = "computed again", "taken"


class _Kept:
    """A tensor that was kept, and how often it had been written by then."""

    def __init__(self, value):
        self.value, self.version = value.detach(), value._version

    def take(self, may_change):
        if not may_change and self.value._version != self.version:
            raise RuntimeError("Tensor cached during selective activation checkpoint has been mutated")
        return self.value


class _CachingTorchDispatchMode(TorchDispatchMode):
    """Keeps results in the first call."""

    def __init__(self, policy_fn, storage):
        super().__init__()
        self.policy_fn, self.storage = policy_fn, storage

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if func in SAC_IGNORED_OPS:
            return func(*args, **kwargs)
        result = func(*args, **kwargs)
        with _disable_current_modes():
            context = SelectiveCheckpointContext(is_recompute=False, op_output=result)
            policy = self.policy_fn(context, func, *args, **kwargs)
            if isinstance(policy, bool):
                policy = CheckpointPolicy.MUST_SAVE if policy else CheckpointPolicy.PREFER_RECOMPUTE
            keep = policy in _KEPT
            self.storage[func].append(
                tree_map(lambda value: _Kept(value) if isinstance(value, torch.Tensor) else value, result) if keep else _AGAIN
            )
        return result


class _CachedTorchDispatchMode(TorchDispatchMode):
    """Takes what was kept in the second call."""

    def __init__(self, storage, allow_cache_entry_mutation):
        super().__init__()
        self.storage, self.allow_cache_entry_mutation = storage, allow_cache_entry_mutation
        self.func_counter = defaultdict(int)

    def __enter__(self):
        self.func_counter.clear()
        return super().__enter__()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if func in SAC_IGNORED_OPS:
            return func(*args, **kwargs)
        held, at = self.storage.get(func, ()), self.func_counter[func]
        self.func_counter[func] += 1
        if at >= len(held):
            raise RuntimeError(_NOT_FOUND.format(func))
        kept = held[at]
        if kept is _TAKEN:
            raise RuntimeError(
                "Trying to backward an extra time. You are only allowed to backward once on any region computed under selective "
                "activation checkpoint."
            )
        if kept is _AGAIN:
            return func(*args, **kwargs)
        held[at] = _TAKEN
        with _disable_current_modes():
            values = tree_map(lambda value: value.take(self.allow_cache_entry_mutation) if isinstance(value, _Kept) else value, kept)
            result = func(*args, **kwargs)
            return tree_map(_with_values, result, values)


def _with_values(result, kept):
    """A result with the values that were kept."""
    if isinstance(result, torch.Tensor) and isinstance(kept, torch.Tensor):
        if result.shape == kept.shape and not result.is_meta and not torch.equal(result, kept):
            result.data.copy_(kept)
    return result


def create_selective_checkpoint_contexts(policy_fn_or_list, allow_cache_entry_mutation=False):
    """The contexts of the first call and of the second of :func:`checkpoint` that keep the results of some operators.

    Args:
        policy_fn_or_list: the operators whose results are kept, as ``torch.ops.aten.mm.default``; or a function of a
            :class:`SelectiveCheckpointContext`, the operator and its arguments that gives a :class:`CheckpointPolicy`.
        allow_cache_entry_mutation: whether what was kept may have been written since.

    Raises:
        TypeError: for what is neither.
        ValueError: for something in the list that is no overload of an operator.
    """
    if isinstance(policy_fn_or_list, list):
        kept = policy_fn_or_list
        for operator in kept:
            if isinstance(operator, torch._ops.OpOverload):
                continue
            kind, hint = type(operator), ""
            if isinstance(operator, torch._ops.OpOverloadPacket):
                kind = torch._ops.OpOverloadPacket
                hint = (
                    "Please update the OpOverloadPacket to a specific OpOverload.For example, if you have `torch.ops.aten.mm`, change "
                    "it to `torch.ops.aten.mm.default`."
                )
            raise ValueError(f"Expected op in `op_list` to be an OpOverload but got: {operator} of type {kind}. {hint}")

        def policy_fn(context, operator, *args, **kwargs):
            return CheckpointPolicy.MUST_SAVE if operator in kept else CheckpointPolicy.PREFER_RECOMPUTE

    elif callable(policy_fn_or_list):
        policy_fn = policy_fn_or_list
    else:
        raise TypeError("policy_fn_or_list must be either a function or a list of ops.")
    storage = defaultdict(list)
    return _CachingTorchDispatchMode(policy_fn, storage), _CachedTorchDispatchMode(storage, allow_cache_entry_mutation)


for _public in (
    CheckpointPolicy, GraphExecGroup, SelectiveCheckpointContext, _CachedTorchDispatchMode, _CachingTorchDispatchMode,
    create_selective_checkpoint_contexts,
):
    _public.__module__ = "torch.utils.checkpoint"
