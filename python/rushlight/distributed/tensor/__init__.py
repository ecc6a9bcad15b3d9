"""``torch.distributed.tensor``: tensors in parts on several machines, which are not part of this version. Making one raises."""

from ..._absent import refuse
from ..._rushlight import Tensor


class DTensor(Tensor):
    """A tensor in parts. Nothing makes one here: programs ask whether a tensor is one."""

    @staticmethod
    def from_local(local_tensor, device_mesh=None, placements=None, **options):
        """A tensor of its part on this machine: raises ``NotImplementedError``."""
        raise NotImplementedError("torch.distributed.tensor.DTensor.from_local: tensors in parts on several machines are not part of Rushlight")


class Placement:
    """Where the parts of a tensor are."""


class Shard(Placement):
    """Parts along a dimension."""

    def __init__(self, dim):
        self.dim = dim

    @staticmethod
    def local_shard_size_and_offset(curr_local_size, num_chunks, rank):
        """How large the part of a member is, and where it begins, when a dimension is divided among ``num_chunks``."""
        whole = -(-curr_local_size // num_chunks)
        begin = min(whole * rank, curr_local_size)
        return min(whole, curr_local_size - begin), begin

    def _local_shard_size_and_offset(self, curr_local_size, num_chunks, rank):
        return self.local_shard_size_and_offset(curr_local_size, num_chunks, rank)


class Replicate(Placement):
    """The whole on every machine."""


class Partial(Placement):
    """Summands on every machine."""

    def __init__(self, reduce_op="sum"):
        self.reduce_op = reduce_op


refuse(globals(), ("distribute_tensor", "distribute_module", "init_device_mesh", "DeviceMesh", "empty", "full", "ones", "rand", "randn", "zeros"),
       NotImplementedError, lambda name: f"torch.distributed.tensor.{name}: tensors in parts on several machines are not part of Rushlight")
