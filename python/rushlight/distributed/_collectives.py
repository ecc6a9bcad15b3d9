"""Collectives of tensors: what ``torch.distributed`` checks of their arguments, and how groups are asked for them."""

from .. import _rushlight
from ._process_group import ProcessGroup
from ._reduce_op import ReduceOp, ReduceOptions, ReduceScatterOptions, RedOpType, kind_of
from ._world import _group_or_default, _rank_not_in_group, _warn_not_in_group, get_group_rank, get_rank, get_world_size

__all__ = [
    "all_gather", "all_gather_coalesced", "all_gather_into_tensor", "all_gather_single", "all_reduce", "all_reduce_coalesced",
    "all_to_all", "all_to_all_single", "barrier", "broadcast", "gather", "gather_into_tensor", "gather_single", "reduce",
    "reduce_scatter", "reduce_scatter_single", "reduce_scatter_tensor", "scatter", "supports_complex",
]

Tensor = _rushlight.Tensor


def _check_tensor(value, name):
    if not isinstance(value, Tensor):
        raise TypeError(
            f"Invalid function argument. Expected parameter `{name}` of type torch.Tensor\n             but got {type(value)} "
            "instead."
        )


def _check_tensors(values, name):
    if not isinstance(values, (list, tuple)):
        raise TypeError(
            f"Invalid function argument. Expected parameter `{name}` of type List[torch.Tensor]\n             but got "
            f"{type(values)} instead."
        )
    for value in values:
        if not isinstance(value, Tensor):
            raise TypeError(
                f"Invalid function argument. Expected parameter `{name}` of type List[torch.Tensor]\n             but got "
                f"{type(values)} with elements of type {[type(v) for v in values]}."
            )


def _check_dtypes(*tensors):
    last = None
    for entry in tensors:
        for tensor in entry if isinstance(entry, (list, tuple)) else (entry,):
            dtype = tensor.dtype
            # The real parts of complex numbers travel like real numbers.
            if tensor.is_complex():
                dtype = tensor.real.dtype
            if last is None:
                last = dtype
            elif last != dtype:
                raise ValueError(f"Invalid usage of tensors with different dtypesFound {last} and  {dtype}")


def root_of(chosen, rank, group_rank, optional=False):
    """The number in a group of the member that a program names."""
    if group_rank is not None:
        if rank is not None:
            raise ValueError("Can't specify both group_rank and global_rank")
        return group_rank
    if rank is None:
        if optional:
            return None
        raise ValueError("Must specify global_rank or group_rank")
    return get_group_rank(chosen, rank)


def _outside(chosen, name):
    """Whether this process is not in a group, with a warning if so."""
    if not _rank_not_in_group(chosen):
        return False
    _warn_not_in_group(name)
    return True


def _handle(work, async_op):
    return work if async_op else None


def supports_complex(reduceOp):  # noqa: N803  the reference's name
    """Whether complex tensors can be reduced in a way."""
    return kind_of(reduceOp) in (RedOpType.SUM, RedOpType.AVG)


def _check_complex(name, tensor, op):
    if tensor.is_complex() and not supports_complex(op):
        raise ValueError(f"{name} does not support {op} on complex tensors")


def all_reduce(tensor, op=ReduceOp.SUM, group=None, async_op=False):
    """Puts the tensors of all members together, in place: all have the same bits then.

    Args:
        tensor: what this member adds; it gets the result.
        op: how: ``ReduceOp.SUM``, ``AVG``, ``PRODUCT``, ``MIN``, ``MAX``, ``BAND``, ``BOR``, ``BXOR``.
        group: the group; of all unless given.
        async_op: return a :class:`Work` at once.
    """
    _check_tensor(tensor, "tensor")
    if _outside(group, "all_reduce"):
        return None
    kind_of(op)
    _check_complex("all_reduce", tensor, op)
    return _handle(_group_or_default(group).allreduce([tensor], op, now=not async_op), async_op)


def all_reduce_coalesced(tensors, op=ReduceOp.SUM, group=None, async_op=False):
    """As :func:`all_reduce`, for several tensors."""
    if isinstance(tensors, Tensor):
        tensors = [tensors]
    _check_tensors(tensors, "tensor")
    _check_dtypes(tensors)
    if _outside(group, "all_reduce_coalesced"):
        return None
    for tensor in tensors:
        _check_complex("all_reduce", tensor, op)
    work = _group_or_default(group).allreduce(tensors, op, now=not async_op)
    return work.get_future() if async_op else None


def reduce(tensor, dst=None, op=ReduceOp.SUM, group=None, async_op=False, group_dst=None):
    """Puts the tensors of all members together; member `dst` gets the result in its tensor."""
    if _rank_not_in_group(group):
        _warn_not_in_group("reduce")
        return None
    chosen = _group_or_default(group)
    root = root_of(chosen, dst, group_dst)
    _check_tensor(tensor, "tensor")
    kind_of(op, ReduceOptions)
    _check_complex("reduce", tensor, op)
    return _handle(chosen.reduce(tensor, root, op, now=not async_op), async_op)


def broadcast(tensor, src=None, group=None, async_op=False, group_src=None):
    """Gives the tensor of member `src` to all."""
    if _rank_not_in_group(group):
        _warn_not_in_group("broadcast")
        return None
    chosen = _group_or_default(group)
    root = root_of(chosen, src, group_src)
    _check_tensor(tensor, "tensor")
    return _handle(chosen.broadcast(tensor, root, now=not async_op), async_op)


def all_gather(tensor_list, tensor, group=None, async_op=False):
    """Gives the tensor of each member to all: `tensor_list` gets them, in the order of ranks."""
    _check_tensors(tensor_list, "tensor_list")
    _check_tensor(tensor, "tensor")
    _check_dtypes(tensor_list, tensor)
    if _outside(group, "all_gather"):
        return None
    return _handle(_group_or_default(group).allgather(list(tensor_list), tensor, now=not async_op), async_op)


def all_gather_into_tensor(output_tensor, input_tensor, group=None, async_op=False):
    """As :func:`all_gather`, into one tensor: one after the other along the first dimension, or stacked."""
    return _gather_single(output_tensor, input_tensor, group, async_op, "all_gather_into_tensor")


def all_gather_single(output_tensor, input_tensor, group=None, async_op=False):
    """As :func:`all_gather_into_tensor`."""
    return _gather_single(output_tensor, input_tensor, group, async_op, "all_gather_single")


def _gather_single(output, tensor, group, async_op, name):
    _check_tensor(tensor, "input_tensor")
    _check_tensor(output, "output_tensor")
    if _outside(group, name):
        return None
    return _handle(_group_or_default(group).all_gather_single(output, tensor, now=not async_op), async_op)


def _all_gather_base(output_tensor, input_tensor, group=None, async_op=False):
    return all_gather_into_tensor(output_tensor, input_tensor, group, async_op)


def all_gather_coalesced(output_tensor_lists, input_tensor_list, group=None, async_op=False):
    """As :func:`all_gather` for several tensors: a list for each member."""
    if _outside(group, "all_gather_coalesced"):
        return None
    _check_tensors(input_tensor_list, "input_tensor_list")
    _check_dtypes(input_tensor_list)
    if not isinstance(output_tensor_lists, (list, tuple)):
        raise TypeError("Invalid function argument: output_tensor_lists should be a list")
    for outputs in output_tensor_lists:
        _check_tensors(outputs, "output_tensor_lists")
        _check_dtypes(outputs)
    chosen = _group_or_default(group)
    works = [
        chosen.allgather([outputs[i] for outputs in output_tensor_lists], tensor, now=not async_op)
        for i, tensor in enumerate(input_tensor_list)
    ]
    if not async_op:
        return None
    from ..futures import collect_all

    return collect_all([work.get_future() for work in works])


def _validate_list(own, root, tensors, name, side):
    if own == root:
        if not tensors:
            raise ValueError(f"Argument ``{name}`` must be specified on {side} rank.")
    elif tensors:
        raise ValueError(f"Argument ``{name}`` must NOT be specified on non-{side} ranks.")


def gather(tensor, gather_list=None, dst=None, group=None, async_op=False, group_dst=None):
    """Gives the tensor of each member to member `dst` (0 unless given), whose `gather_list` gets them."""
    _check_tensor(tensor, "tensor")
    _check_tensors(gather_list or [], "gather_list")
    _check_dtypes(tensor, gather_list or [])
    if _rank_not_in_group(group):
        _warn_not_in_group("gather")
        return None
    chosen = _group_or_default(group)
    root = 0 if dst is None and group_dst is None else root_of(chosen, dst, group_dst)
    _validate_list(get_rank(chosen), root, gather_list, "gather_list", "destination")
    return _handle(chosen.gather(list(gather_list or []), tensor, root, now=not async_op), async_op)


def gather_into_tensor(output_tensor, input_tensor, dst=None, group=None, async_op=False, group_dst=None):
    """As :func:`gather`, into one tensor."""
    count = get_world_size(group)
    parts = None if output_tensor is None else list(output_tensor.detach().view(count, *input_tensor.shape).unbind(0))
    return gather(input_tensor, parts, dst, group, async_op, group_dst)


gather_single = gather_into_tensor


def scatter(tensor, scatter_list=None, src=None, group=None, async_op=False, group_src=None):
    """Gives each member a tensor of the `scatter_list` of member `src` (0 unless given)."""
    _check_tensor(tensor, "tensor")
    _check_tensors(scatter_list or [], "scatter_list")
    _check_dtypes(tensor, scatter_list or [])
    if _rank_not_in_group(group):
        _warn_not_in_group("scatter")
        return None
    chosen = _group_or_default(group)
    root = 0 if src is None and group_src is None else root_of(chosen, src, group_src)
    _validate_list(get_rank(chosen), root, scatter_list, "scatter_list", "source")
    return _handle(chosen.scatter(tensor, list(scatter_list or []), root, now=not async_op), async_op)


def reduce_scatter(output, input_list, op=ReduceOp.SUM, group=None, async_op=False):
    """Puts the lists of all members together; each gets the tensor of its number."""
    _check_tensor(output, "output")
    _check_tensors(input_list, "input_list")
    _check_dtypes(output, input_list)
    if _outside(group, "reduce_scatter"):
        return None
    kind_of(op, ReduceScatterOptions)
    return _handle(_group_or_default(group).reduce_scatter(output, list(input_list), op, now=not async_op), async_op)


def reduce_scatter_tensor(output, input, op=ReduceOp.SUM, group=None, async_op=False):  # noqa: A002
    """As :func:`reduce_scatter`, of one tensor that holds the parts one after the other, or stacked."""
    _check_tensor(output, "output")
    _check_tensor(input, "input")
    if _outside(group, "reduce_scatter_single"):
        return None
    kind_of(op, ReduceScatterOptions)
    return _handle(_group_or_default(group).reduce_scatter_single(output, input, op, now=not async_op), async_op)


reduce_scatter_single = reduce_scatter_tensor


def _reduce_scatter_base(output, input, op=ReduceOp.SUM, group=None, async_op=False):  # noqa: A002
    return reduce_scatter_tensor(output, input, op, group, async_op)


def all_to_all(output_tensor_list, input_tensor_list, group=None, async_op=False):
    """Gives each member a tensor of `input_tensor_list`, and takes one of each."""
    if _outside(group, "all_to_all"):
        return None
    _check_tensors(output_tensor_list, "output_tensor_list")
    _check_tensors(input_tensor_list, "input_tensor_list")
    _check_dtypes(output_tensor_list, input_tensor_list)
    return _handle(
        _group_or_default(group).alltoall(list(output_tensor_list), list(input_tensor_list), now=not async_op), async_op
    )


def all_to_all_single(
    output, input, output_split_sizes=None, input_split_sizes=None, group=None, async_op=False,  # noqa: A002
):
    """As :func:`all_to_all`, with rows of one tensor: equally many for each member, or as many as `input_split_sizes` say."""
    if _outside(group, "all_to_all_single"):
        return None
    _check_tensor(output, "output")
    _check_tensor(input, "input")
    _check_dtypes(output, input)
    work = _group_or_default(group).all_to_all_single(
        output, input, output_split_sizes or [], input_split_sizes or [], now=not async_op
    )
    return _handle(work, async_op)


def barrier(group=None, async_op=False, device_ids=None, timeout=None):
    """Waits until all members are here."""
    if _outside(group, "barrier"):
        return None
    if device_ids is not None and not isinstance(device_ids, list):
        raise TypeError("Invalid function argument: device_ids type should be List[int]")
    return _handle(_group_or_default(group).barrier(now=not async_op, timeout=timeout), async_op)


for _name in __all__:
    globals()[_name].__module__ = "torch.distributed.distributed_c10d"
__all__.append("ProcessGroup")
assert ProcessGroup
