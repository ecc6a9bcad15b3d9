"""Gradients limited in length or size."""

import warnings

import rushlight as torch

from ..._library import publish
from ..._rushlight import Tensor


_NO_GRADIENTS = (
    "Expected !nested_tensorlist[0].empty() to be true, but got false.  (Could this error message be improved?  If so, please report "
    "an enhancement request to PyTorch.)"
)


def _gradients(parameters):
    if isinstance(parameters, Tensor):
        parameters = [parameters]
    return [p.grad for p in parameters if p.grad is not None]


def get_total_norm(tensors, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """The norm of all tensors together."""
    tensors = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    norm_type = float(norm_type)
    if len(tensors) == 0:
        return torch.tensor(0.0)
    norms = torch.stack([torch.linalg.vector_norm(t, norm_type) for t in tensors])
    total = torch.linalg.vector_norm(norms, norm_type)
    if error_if_nonfinite and not bool(torch.isfinite(total)):
        raise RuntimeError(
            f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it cannot be "
            "clipped. To disable this error and scale the gradients by the non-finite norm anyway, set "
            "`error_if_nonfinite=False`"
        )
    return total


_get_total_norm = get_total_norm


def clip_grads_with_norm_(parameters, max_norm, total_norm, foreach=None):
    """Scales gradients down whose common norm is known."""
    scale = torch.clamp(float(max_norm) / (total_norm + 1e-6), max=1.0)
    with torch.no_grad():
        for gradient in _gradients(parameters):
            gradient.mul_(scale)


def clip_grad_norm_(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """Scales gradients down to a common norm, and returns the norm they had."""
    parameters = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    total_norm = get_total_norm(_gradients(parameters), norm_type, error_if_nonfinite)
    clip_grads_with_norm_(parameters, max_norm, total_norm)
    return total_norm


def clip_grad_norm(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """The old name of ``clip_grad_norm_``."""
    warnings.warn(
        "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of `torch.nn.utils.clip_grad_norm_`.",
        FutureWarning,
        stacklevel=2,
    )
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite)


def clip_grad_value_(parameters, clip_value, foreach=None):
    """Limits the elements of gradients on both sides."""
    with torch.no_grad():
        gradients = _gradients(parameters)
        if not gradients:
            raise RuntimeError(_NO_GRADIENTS)
        for gradient in gradients:
            gradient.clamp_(min=-float(clip_value), max=float(clip_value))


publish(globals())
