"""Settings of modules whose parameters are divided between processes, and of their states."""

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Optional

from ...nn import Module
from ...nn.modules.batchnorm import _BatchNorm

__all__ = [
    "ShardingStrategy", "BackwardPrefetch", "MixedPrecision", "CPUOffload", "StateDictType", "StateDictConfig", "FullStateDictConfig",
    "LocalStateDictConfig", "ShardedStateDictConfig", "OptimStateDictConfig", "FullOptimStateDictConfig", "LocalOptimStateDictConfig",
    "ShardedOptimStateDictConfig", "StateDictSettings",
]


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
    _module_classes_to_ignore: Sequence[type[Module]] = (_BatchNorm,)


@dataclass
class CPUOffload:
    """Whether parameters wait in the memory of the CPU."""

    offload_params: bool = False


@dataclass
class StateDictConfig:
    """How states are collected."""

    offload_to_cpu: bool = False


@dataclass
class FullStateDictConfig(StateDictConfig):
    """How whole states are collected."""

    rank0_only: bool = False


@dataclass
class LocalStateDictConfig(StateDictConfig):
    """How the parts of this process are collected."""


@dataclass
class ShardedStateDictConfig(StateDictConfig):
    """How divided states are collected."""

    _use_dtensor: bool = False


@dataclass
class OptimStateDictConfig:
    """How states of optimizers are collected."""

    offload_to_cpu: bool = True


@dataclass
class FullOptimStateDictConfig(OptimStateDictConfig):
    """How whole states of optimizers are collected."""

    rank0_only: bool = False


@dataclass
class LocalOptimStateDictConfig(OptimStateDictConfig):
    """How the parts of this process of the states of optimizers are collected."""

    offload_to_cpu: bool = False


@dataclass
class ShardedOptimStateDictConfig(OptimStateDictConfig):
    """How divided states of optimizers are collected."""

    _use_dtensor: bool = False


@dataclass
class StateDictSettings:
    """What states of a module are, and how they are collected."""

    state_dict_type: StateDictType
    state_dict_config: StateDictConfig
    optim_state_dict_config: OptimStateDictConfig
