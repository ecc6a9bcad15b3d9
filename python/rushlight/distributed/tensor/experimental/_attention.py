"""Attention over sequences in parts on several machines, which is not part of this version."""

from ...._absent import refuse


def _why(name):
    return f"torch.distributed.tensor.experimental.{name}: tensors in parts on several machines are not part of Rushlight"


refuse(globals(), (
    "set_rotate_method", "context_parallel", "context_parallel_unshard",
), NotImplementedError, _why)
