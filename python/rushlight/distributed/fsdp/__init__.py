"""``torch.distributed.fsdp``: modules whose parameters are divided between processes, which are not part of this version.

Settings can be made and modules asked whether they are divided, as projects do at their beginning; dividing one raises.
"""

from dataclasses import dataclass
from typing import Any, Callable, Optional

from ..._absent import refuse, refuse_classes
from ._why import why as _why
from .api import *  # noqa: F401,F403
from .fully_sharded_data_parallel import FullyShardedDataParallel, OptimStateKeyType  # noqa: F401


class FSDPModule:
    """What ``fully_shard`` makes of modules. Nothing is one here."""


@dataclass(frozen=True)
class MixedPrecisionPolicy:
    """The dtypes of modules that ``fully_shard`` divides."""

    param_dtype: Optional[Any] = None
    reduce_dtype: Optional[Any] = None
    output_dtype: Optional[Any] = None
    cast_forward_inputs: bool = True
    param_dtype_override_fn: Optional[Callable] = None


@dataclass
class OffloadPolicy:
    """Where parameters wait: on their device."""


@dataclass
class CPUOffloadPolicy(OffloadPolicy):
    """Where parameters wait: in the memory of the CPU."""

    pin_memory: bool = True


@dataclass(frozen=True)
class DataParallelMeshDims:
    """The dimensions of a mesh that parameters are divided and copied along."""

    shard: Any = None
    replicate: Any = None


refuse(globals(), ("fully_shard", "register_fsdp_forward_method", "share_comm_ctx"), NotImplementedError, _why)
refuse_classes(globals(), ("FlatParameter", "UnshardHandle", "GradientReductionHandle"), NotImplementedError, _why)
