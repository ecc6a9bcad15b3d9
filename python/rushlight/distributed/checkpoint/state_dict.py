"""A part of ``torch.distributed.checkpoint`` that programs import: nothing of it works here, and each says so."""

from dataclasses import dataclass

from ..._absent import refuse
from . import _why


@dataclass
class StateDictOptions:
    """How states are collected."""

    full_state_dict: bool = False
    cpu_offload: bool = False
    ignore_frozen_params: bool = False
    keep_submodule_prefixes: bool = True
    strict: bool = True
    broadcast_from_rank0: bool = False
    flatten_optimizer_state_dict: bool = False
    dsd_fqn_modifiers: str = "_fqn_modifiers"


refuse(globals(), (
    "get_model_state_dict",
    "get_optimizer_state_dict",
    "get_state_dict",
    "set_model_state_dict",
    "set_optimizer_state_dict",
    "set_state_dict",
), NotImplementedError, _why)
