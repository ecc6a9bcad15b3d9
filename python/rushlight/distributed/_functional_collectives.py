"""``torch.distributed._functional_collectives``: collective operations that return new tensors, for the reference's compiler."""

from .._absent import refuse
from .._rushlight import Tensor


class AsyncCollectiveTensor(Tensor):
    """A result that is on its way. Nothing makes one here: programs ask whether a tensor is one."""


refuse(globals(), (
    "all_reduce",
    "all_gather_tensor",
    "reduce_scatter_tensor",
    "broadcast",
    "wait_tensor",
    "all_to_all_single",
    "all_to_all_single_autograd",
    "all_gather_tensor_autograd",
    "reduce_scatter_tensor_autograd",
    "permute_tensor",
),
       NotImplementedError, lambda name: f"torch.distributed._functional_collectives.{name} is not part of Rushlight; the collectives of torch.distributed are")
