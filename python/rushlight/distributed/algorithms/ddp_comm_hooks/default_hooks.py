"""Gradients of ``DistributedDataParallel`` on their way: averaged as they are, or with fewer bits."""

import rushlight as torch

from .... import distributed as dist

__all__ = [
    "allreduce_hook", "bf16_compress_hook", "bf16_compress_wrapper", "fp16_compress_hook", "fp16_compress_wrapper",
]


def _average(group, row):
    group = dist.group.WORLD if group is None else group
    row.div_(group.size())
    work = dist.all_reduce(row, group=group, async_op=True)
    return work.get_future().then(lambda future: future.value()[0])


def allreduce_hook(process_group, bucket):
    """Averages gradients as they are."""
    return _average(process_group, bucket.buffer())


def _compressed(dtype, process_group, bucket):
    row = bucket.buffer()
    future = _average(process_group, row.to(dtype))

    def widen(done):
        with torch.no_grad():
            row.copy_(done.value())
        return row

    return future.then(widen)


def fp16_compress_hook(process_group, bucket):
    """Averages gradients as halves."""
    return _compressed(torch.float16, process_group, bucket)


def bf16_compress_hook(process_group, bucket):
    """Averages gradients as ``bfloat16``."""
    return _compressed(torch.bfloat16, process_group, bucket)


def _wrapper(dtype, hook):
    def wrapped(state, bucket):
        kind = bucket.buffer().dtype
        bucket.set_buffer(bucket.buffer().to(dtype))

        def widen(done):
            value = done.value()
            return (value[0] if isinstance(value, (list, tuple)) else value).to(kind)

        return hook(state, bucket).then(widen)

    return wrapped


def fp16_compress_wrapper(hook):
    """A hook that another one is called in, with halves."""
    return _wrapper(torch.float16, hook)


def bf16_compress_wrapper(hook):
    """A hook that another one is called in, with ``bfloat16``."""
    return _wrapper(torch.bfloat16, hook)
