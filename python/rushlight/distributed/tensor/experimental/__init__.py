"""``torch.distributed.tensor.experimental``: ways of working with tensors in parts, of which there are none here."""

import contextlib

from ...._absent import refuse


@contextlib.contextmanager
def implicit_replication():
    """Plain tensors count as whole on every machine: there is one."""
    yield


refuse(globals(), ("context_parallel", "local_map", "register_sharding"), NotImplementedError,
       lambda name: f"torch.distributed.tensor.experimental.{name}: tensors in parts on several machines are not part of Rushlight")
