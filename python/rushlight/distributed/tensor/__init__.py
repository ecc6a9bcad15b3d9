"""``torch.distributed.tensor``: tensors in parts on several machines, which are not part of this version. Making one raises."""

from ..._absent import refuse
from ..._rushlight import Tensor


class DTensor(Tensor):
    """A tensor in parts. Nothing makes one here: programs ask whether a tensor is one."""


class Placement:
    """Where the parts of a tensor are."""


class Shard(Placement):
    """Parts along a dimension."""

    def __init__(self, dim):
        self.dim = dim


class Replicate(Placement):
    """The whole on every machine."""


class Partial(Placement):
    """Summands on every machine."""

    def __init__(self, reduce_op="sum"):
        self.reduce_op = reduce_op


refuse(globals(), ("distribute_tensor", "distribute_module", "init_device_mesh", "DeviceMesh", "empty", "full", "ones", "rand", "randn", "zeros"),
       NotImplementedError, lambda name: f"torch.distributed.tensor.{name}: tensors in parts on several machines are not part of Rushlight")
