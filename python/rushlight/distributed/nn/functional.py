"""Collectives that gradients go through: the way back of each is a collective of its own, which all members take part in."""

import rushlight as torch

from ... import distributed as dist
from ...autograd import Function
from .. import _world
from .._reduce_op import RedOpType

__all__ = [
    "all_gather", "all_reduce", "all_to_all", "all_to_all_single", "broadcast", "gather", "reduce", "reduce_scatter", "scatter",
]


def _group(group):
    return _world._get_default_group() if group is None else group


def broadcast(tensor, src, group=None):
    """The tensor of member `src`, everywhere."""
    return _Broadcast.apply(src, _group(group), tensor)


def gather(tensor, dst=0, group=None):
    """The tensors of all members at member `dst`; zeros elsewhere."""
    return _Gather.apply(dst, _group(group), tensor)


def scatter(tensors, src=0, group=None):
    """Of the tensors of member `src` the one with the number of this one."""
    return _Scatter.apply(src, _group(group), *tensors)


def reduce(tensor, dst, op=RedOpType.SUM, group=None):
    """The tensors of all members put together at member `dst`."""
    return _Reduce.apply(dst, op, _group(group), tensor)


def reduce_scatter(output, input_list, op=RedOpType.SUM, group=None):
    """The lists of all members put together: the tensor with the number of this one, in `output`."""
    return _Reduce_Scatter.apply(op, _group(group), output, *input_list)


def all_gather(tensor, group=None):
    """The tensors of all members, everywhere."""
    return _AllGather.apply(_group(group), tensor)


def _all_gather_base(output_tensor, input_tensor, group=None):
    """As :func:`all_gather`, in one tensor."""
    return _AllGatherBase.apply(output_tensor, input_tensor, _group(group))


def all_to_all(output_tensor_list, input_tensor_list, group=None):
    """A tensor of each member, for one of this one each."""
    return _AlltoAll.apply(_group(group), output_tensor_list, *input_tensor_list)


def all_to_all_single(output, input, output_split_sizes=None, input_split_sizes=None, group=None):  # noqa: A002
    """Rows of each member, for some of this one each."""
    return _AlltoAllSingle.apply(_group(group), output, output_split_sizes, input_split_sizes, input)


def all_reduce(tensor, op=RedOpType.SUM, group=None):
    """The tensors of all members put together, everywhere."""
    return _AllReduce.apply(op, _group(group), tensor)


class _Broadcast(Function):
    @staticmethod
    def forward(ctx, src, group, tensor):
        ctx.src, ctx.group, ctx.rank = src, group, dist.get_rank(group)
        tensor = tensor.clone()
        dist.broadcast(tensor, src, group=group)
        return tensor

    @staticmethod
    def backward(ctx, grad):
        total = _Reduce.apply(ctx.src, RedOpType.SUM, ctx.group, grad)
        if dist.get_rank() != ctx.src:
            total = torch.zeros_like(total)
        return None, None, total


class _Gather(Function):
    @staticmethod
    def forward(ctx, dst, group, tensor):
        ctx.dst, ctx.group = dst, group
        parts = [torch.zeros_like(tensor) for _ in range(dist.get_world_size(group))]
        tensor = tensor.contiguous()
        dist.gather(tensor, parts if dist.get_rank() == dst else None, dst, group=group)
        return tuple(parts)

    @staticmethod
    def backward(ctx, *grads):
        return None, None, _Scatter.apply(ctx.dst, ctx.group, *grads)


class _Scatter(Function):
    @staticmethod
    def forward(ctx, src, group, *tensors):
        ctx.src, ctx.group = src, group
        output = torch.zeros_like(tensors[0])
        dist.scatter(output, [t.contiguous() for t in tensors] if dist.get_rank() == src else None, src, group=group)
        return output

    @staticmethod
    def backward(ctx, grad):
        return None, None, *_Gather.apply(ctx.src, ctx.group, grad)


class _Reduce(Function):
    @staticmethod
    def forward(ctx, dst, op, group, tensor):
        ctx.dst, ctx.group = dst, group
        tensor = tensor.clone()
        dist.reduce(tensor, dst, op=op, group=group)
        return tensor

    @staticmethod
    def backward(ctx, grad):
        return None, None, None, _Broadcast.apply(ctx.dst, ctx.group, grad)


class _Reduce_Scatter(Function):  # noqa: N801  the name that nodes print
    @staticmethod
    def forward(ctx, op, group, output, *tensors):
        ctx.group = group
        output = output.detach().clone()
        dist.reduce_scatter(output, [t.contiguous() for t in tensors], op=op, group=group)
        return output

    @staticmethod
    def backward(ctx, grad):
        return None, None, None, *_AllGather.apply(ctx.group, grad)


class _AllGather(Function):
    @staticmethod
    def forward(ctx, group, tensor):
        tensor = tensor.contiguous()
        ctx.group = group
        parts = [torch.empty_like(tensor) for _ in range(dist.get_world_size(group))]
        dist.all_gather(parts, tensor, group=group)
        return tuple(parts)

    @staticmethod
    def backward(ctx, *grads):
        parts = [grad.contiguous() for grad in grads]
        return None, _Reduce_Scatter.apply(RedOpType.SUM, ctx.group, torch.empty_like(parts[0]), *parts)


class _AllGatherBase(Function):
    @staticmethod
    def forward(ctx, output, tensor, group):
        ctx.group, ctx.shape = group, tensor.shape
        output = output.detach()
        dist.all_gather_into_tensor(output, tensor.contiguous(), group=group)
        return output

    @staticmethod
    def backward(ctx, grad):
        part = torch.empty(ctx.shape, dtype=grad.dtype)
        dist.reduce_scatter_tensor(part, grad.contiguous(), group=ctx.group)
        return None, part, None


class _AlltoAll(Function):
    @staticmethod
    def forward(ctx, group, outputs, *tensors):
        ctx.group = group
        ctx.shapes = [tensor.shape for tensor in tensors]
        outputs = [output.detach() for output in outputs]
        dist.all_to_all(outputs, [t.contiguous() for t in tensors], group=group)
        return tuple(outputs)

    @staticmethod
    def backward(ctx, *grads):
        parts = [torch.empty(shape, dtype=grads[0].dtype) for shape in ctx.shapes]
        return None, None, *_AlltoAll.apply(ctx.group, parts, *grads)


class _AlltoAllSingle(Function):
    @staticmethod
    def forward(ctx, group, output, output_splits, input_splits, tensor):
        ctx.group, ctx.shape, ctx.splits = group, tensor.shape, (output_splits, input_splits)
        output = output.detach()
        dist.all_to_all_single(output, tensor.contiguous(), output_splits, input_splits, group=group)
        return output

    @staticmethod
    def backward(ctx, grad):
        part = torch.empty(ctx.shape, dtype=grad.dtype)
        outgoing, incoming = ctx.splits
        return None, None, None, None, _AlltoAllSingle.apply(ctx.group, part, incoming, outgoing, grad.contiguous())


class _AllReduce(Function):
    @staticmethod
    def forward(ctx, op, group, tensor):
        ctx.op, ctx.group = op, group
        tensor = tensor.clone()
        dist.all_reduce(tensor, op=op, group=group)
        return tensor

    @staticmethod
    def backward(ctx, grad):
        return None, None, _AllReduce.apply(ctx.op, ctx.group, grad)
