"""``torch.optim.optimizer``: the base of optimisers, hooks around the steps of all of them, and what others build on."""

import functools
import typing
from collections.abc import Iterable

from .. import Tensor, float32, float64, get_default_dtype, set_grad_enabled, view_as_real
from ._base import ALL_AFTER as _global_optimizer_post_hooks
from ._base import ALL_BEFORE as _global_optimizer_pre_hooks
from ._base import Optimizer, _add_hook

__all__ = ["Optimizer", "register_optimizer_step_pre_hook", "register_optimizer_step_post_hook"]

ParamsT = typing.Union[Iterable[Tensor], Iterable[dict[str, typing.Any]], Iterable[tuple[str, Tensor]]]
StateDict = dict[str, typing.Any]


class _RequiredParameter:
    """Stands for an option that has no default."""

    def __repr__(self):
        return "<required parameter>"


required = _RequiredParameter()


def register_optimizer_step_pre_hook(hook):
    """Calls ``hook(optimizer, args, kwargs)`` before each step of any optimiser."""
    return _add_hook(_global_optimizer_pre_hooks, hook)


def register_optimizer_step_post_hook(hook):
    """Calls ``hook(optimizer, args, kwargs)`` after each step of any optimiser."""
    return _add_hook(_global_optimizer_post_hooks, hook)


def _use_grad_for_differentiable(func):
    """A step that records gradients only for optimisers that are to be differentiated."""

    @functools.wraps(func)
    def wrapped(*args, **kwargs):
        with set_grad_enabled(args[0].defaults["differentiable"]):
            return func(*args, **kwargs)

    return wrapped


def _get_value(x):
    return x.item() if isinstance(x, Tensor) else x


def _stack_if_compiling(x):
    return x


def _get_scalar_dtype(is_fused=None):
    if is_fused:
        return float32
    return float64 if get_default_dtype() == float64 else float32


def _view_as_real(params, *state_and_grads):
    """Replaces complex tensors in the lists by views of pairs of real numbers."""
    for i, param in enumerate(params):
        if param.is_complex():
            params[i] = view_as_real(param)
            for tensors in state_and_grads:
                tensors[i] = view_as_real(tensors[i])


def _default_to_fused_or_foreach(params, differentiable, use_fused=False):
    """Whether steps work on all parameters at once, as they do on devices: not here."""
    return False, False


def _get_foreach_kernels_supported_devices():
    return ["cuda", "xpu", "mtia", "privateuseone"]


def _get_fused_kernels_supported_devices():
    return ["mps", "cuda", "xpu", "hpu", "cpu", "mtia", "privateuseone"]


def _get_capturable_supported_devices(supports_xla=True):
    return ["cuda", "xpu", "hpu", "privateuseone"] + (["xla"] if supports_xla else [])
