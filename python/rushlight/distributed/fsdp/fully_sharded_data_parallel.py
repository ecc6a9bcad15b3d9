"""Divided modules, of which there are none."""

import contextlib
import enum

from ..._absent import _refusal, refuse_classes
from ...nn import Module
from ._why import why as _why
from .api import *  # noqa: F401,F403


class OptimStateKeyType(enum.Enum):
    """What states of optimizers are named by."""

    PARAM_NAME = enum.auto()
    PARAM_ID = enum.auto()


class FullyShardedDataParallel(Module):
    """A divided module. Nothing makes one here: programs ask whether a module is one."""

    def __init__(self, module, *args, **kwargs):
        raise NotImplementedError(_why("FullyShardedDataParallel"))

    @staticmethod
    def fsdp_modules(module, root_only=False):
        """The divided modules within a module: none."""
        return []

    @staticmethod
    def get_state_dict_type(module):
        """What the states of the divided modules within a module are: None, as there are none."""
        return None

    @staticmethod
    def summon_full_params(module, *args, **kwargs):
        """Within, the parameters of a module are whole: they always are, as nothing is divided."""
        return contextlib.nullcontext()


for _name in (
    "_optim_state_dict_impl", "_optim_state_dict_to_load_impl", "flatten_sharded_optim_state_dict", "full_optim_state_dict",
    "optim_state_dict", "optim_state_dict_to_load", "rekey_optim_state_dict", "scatter_full_optim_state_dict", "set_state_dict_type",
    "shard_full_optim_state_dict", "sharded_optim_state_dict", "state_dict_type", "check_is_root", "clip_grad_norm_", "no_sync",
    "register_comm_hook",
):
    setattr(FullyShardedDataParallel, _name, staticmethod(
        _refusal(_name, NotImplementedError, _why(f"FullyShardedDataParallel.{_name}"))
    ))
refuse_classes(globals(), ("FlatParameter",), NotImplementedError, _why)
