"""Which cores processes run on: settings, which nothing here follows."""

from dataclasses import dataclass
from enum import Enum

from .._absent import refuse


class AffinityMode(str, Enum):
    """What a process is bound to."""

    NODE = "node"
    SOCKET = "socket"
    EXCLUSIVE = "exclusive"
    CORE_COMPLEX = "core-complex"


@dataclass(frozen=True)
class NumaOptions:
    """How processes are bound."""

    affinity_mode: AffinityMode
    should_fall_back_if_binding_fails: bool = False


refuse(globals(), ("maybe_wrap_with_numa_binding",), NotImplementedError, lambda name: (
    f"torch.numa.binding.{name}: processes are not bound to cores by Rushlight; numactl or taskset does that"
))
