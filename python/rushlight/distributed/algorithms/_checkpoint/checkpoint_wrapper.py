"""Modules around modules, whose intermediate values are computed again for gradients, or kept in memory of the CPU.

Names of parameters and keys of states are those of the module inside.
"""

import abc
import enum
import functools

from ....autograd.graph import save_on_cpu
from ....nn import Module
from ....utils.checkpoint import checkpoint

_INSIDE = "_checkpoint_wrapped_module"
_PREFIX = _INSIDE + "."


class CheckpointImpl(enum.Enum):
    """How values are computed again: in a run of its own inside the run backwards, or not."""

    REENTRANT = enum.auto()
    NO_REENTRANT = enum.auto()


class ActivationWrapper(Module, abc.ABC):
    """A module around another, which it stands for."""

    def __init__(self, mod):
        super().__init__()
        self._checkpoint_wrapped_module = mod
        self._register_state_dict_hook(self._leave_prefix_out)
        self.register_load_state_dict_pre_hook(self._put_prefix_in)

    @abc.abstractmethod
    def forward(self, *args, **kwargs):
        """Calls the module inside, in some way."""

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(self._checkpoint_wrapped_module, name)

    def __getitem__(self, key):
        return self._checkpoint_wrapped_module[key]

    def named_parameters(self, *args, **kwargs):
        """Parameters by the names that the module inside gives them."""
        for name, parameter in super().named_parameters(*args, **kwargs):
            yield name.replace(_PREFIX, ""), parameter

    @staticmethod
    def _leave_prefix_out(module, state_dict, prefix, *args):
        for key in [key for key in state_dict if key.startswith(prefix + _PREFIX)]:
            state_dict[prefix + key[len(prefix + _PREFIX):]] = state_dict.pop(key)
        return state_dict

    @staticmethod
    def _put_prefix_in(module, state_dict, prefix, *args):
        for key in [key for key in state_dict if key.startswith(prefix) and not key.startswith(prefix + _PREFIX)]:
            state_dict[prefix + _PREFIX + key[len(prefix):]] = state_dict.pop(key)


class CheckpointWrapper(ActivationWrapper):
    """A module whose intermediate values are computed again for gradients.

    ``checkpoint_fn`` takes the place of ``torch.utils.checkpoint.checkpoint``; keyword arguments are for it.
    """

    def __init__(self, mod, checkpoint_impl=CheckpointImpl.NO_REENTRANT, checkpoint_fn=None, **checkpoint_fn_kwargs):
        super().__init__(mod)
        self.checkpoint_impl = checkpoint_impl
        if checkpoint_fn is None:
            checkpoint_fn = functools.partial(checkpoint, use_reentrant=checkpoint_impl is CheckpointImpl.REENTRANT)
        self.checkpoint_fn = functools.partial(checkpoint_fn, **checkpoint_fn_kwargs)

    def forward(self, *args, **kwargs):
        if self.checkpoint_impl is not CheckpointImpl.REENTRANT or not kwargs:
            return self.checkpoint_fn(self._checkpoint_wrapped_module, *args, **kwargs)
        # That way takes no keywords.
        names, count = list(kwargs), len(args)

        def call(*values):
            return self._checkpoint_wrapped_module(*values[:count], **dict(zip(names, values[count:])))

        return self.checkpoint_fn(call, *args, *kwargs.values())


class OffloadWrapper(ActivationWrapper):
    """A module whose intermediate values are kept in memory of the CPU."""

    def forward(self, *args, **kwargs):
        with save_on_cpu(pin_memory=True):
            return self._checkpoint_wrapped_module(*args, **kwargs)


def checkpoint_wrapper(module, checkpoint_impl=CheckpointImpl.NO_REENTRANT, checkpoint_fn=None, **checkpoint_fn_kwargs):
    """A module around one, whose intermediate values are computed again for gradients."""
    return CheckpointWrapper(module, checkpoint_impl, checkpoint_fn, **checkpoint_fn_kwargs)


def offload_wrapper(module):
    """A module around one, whose intermediate values are kept in memory of the CPU."""
    return OffloadWrapper(module)


def apply_activation_checkpointing(
    model, checkpoint_wrapper_fn=checkpoint_wrapper, check_fn=lambda _: True, auto_wrap_policy=None
):
    """Puts wrappers around the submodules that ``check_fn`` picks, in place; the model itself stays as it is.

    ``auto_wrap_policy`` is asked instead where it is given: with ``module``, ``recurse`` and ``nonwrapped_numel``, as FSDP asks
    its policies.
    """
    if auto_wrap_policy is None:
        def auto_wrap_policy(module, recurse, nonwrapped_numel):  # noqa: ARG001  the names by which policies are asked
            return True if recurse else check_fn(module)

    _wrap_inside(model, checkpoint_wrapper_fn, auto_wrap_policy)


def _wrap_inside(parent, wrap, policy):
    """Puts wrappers around parts of a module, the innermost first; how many elements of parameters are in those now."""
    wrapped = 0
    if not policy(module=parent, recurse=True, nonwrapped_numel=_elements(parent)):
        return wrapped
    for name, child in list(parent.named_children()):
        inside = _wrap_inside(child, wrap, policy)
        if not isinstance(child, ActivationWrapper) and policy(module=child, recurse=False, nonwrapped_numel=_elements(child) - inside):
            setattr(parent, name, wrap(child))
            inside = _elements(child)
        wrapped += inside
    return wrapped


def _elements(module):
    return sum(parameter.numel() for parameter in module.parameters())
