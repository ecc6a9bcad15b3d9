"""``torch.distributed.fsdp``: modules whose parameters are divided between processes, which are not part of this version.

Settings can be made and modules asked whether they are divided, as projects do at their beginning; dividing one raises.
"""

import enum
from dataclasses import dataclass
from typing import Any, Optional

from ..._absent import refuse
from ...nn import Module


def _why(name):
    return f"torch.distributed.fsdp.{name}: parameters divided between processes are not part of Rushlight"


class FullyShardedDataParallel(Module):
    """A divided module. Nothing makes one here: programs ask whether a module is one."""

    def __init__(self, module, *args, **kwargs):
        raise NotImplementedError(_why("FullyShardedDataParallel"))


class FSDPModule:
    """What ``fully_shard`` makes of modules. Nothing is one here."""


class ShardingStrategy(enum.Enum):
    """What is divided."""

    FULL_SHARD = enum.auto()
    SHARD_GRAD_OP = enum.auto()
    NO_SHARD = enum.auto()
    HYBRID_SHARD = enum.auto()
    _HYBRID_SHARD_ZERO2 = enum.auto()


class BackwardPrefetch(enum.Enum):
    """When parameters are collected for the backward pass."""

    BACKWARD_PRE = enum.auto()
    BACKWARD_POST = enum.auto()


class StateDictType(enum.Enum):
    """How states of divided modules are divided."""

    FULL_STATE_DICT = enum.auto()
    LOCAL_STATE_DICT = enum.auto()
    SHARDED_STATE_DICT = enum.auto()


@dataclass
class MixedPrecision:
    """The dtypes of divided modules."""

    param_dtype: Optional[Any] = None
    reduce_dtype: Optional[Any] = None
    buffer_dtype: Optional[Any] = None
    keep_low_precision_grads: bool = False
    cast_forward_inputs: bool = False
    cast_root_forward_inputs: bool = True


@dataclass(frozen=True)
class MixedPrecisionPolicy:
    """The dtypes of modules that ``fully_shard`` divides."""

    param_dtype: Optional[Any] = None
    reduce_dtype: Optional[Any] = None
    output_dtype: Optional[Any] = None
    cast_forward_inputs: bool = True


@dataclass
class CPUOffload:
    """Whether parameters wait in the memory of the CPU."""

    offload_params: bool = False


@dataclass
class OffloadPolicy:
    """Where parameters wait: on their device."""


@dataclass
class CPUOffloadPolicy(OffloadPolicy):
    """Where parameters wait: in the memory of the CPU."""

    pin_memory: bool = True


@dataclass
class StateDictConfig:
    """How states are collected."""

    offload_to_cpu: bool = False


@dataclass
class FullStateDictConfig(StateDictConfig):
    """How whole states are collected."""

    rank0_only: bool = False


@dataclass
class FullOptimStateDictConfig(FullStateDictConfig):
    """How whole states of optimizers are collected."""


@dataclass
class ShardedStateDictConfig(StateDictConfig):
    """How divided states are collected."""


@dataclass
class ShardedOptimStateDictConfig(StateDictConfig):
    """How divided states of optimizers are collected."""


refuse(globals(), ("fully_shard", "register_fsdp_forward_method", "share_comm_ctx"), NotImplementedError, _why)
