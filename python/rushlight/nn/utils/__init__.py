"""``torch.nn.utils``: sequences of different lengths, gradients, parameters as vectors, fused layers."""

from . import rnn  # noqa: F401
from .clip_grad import (  # noqa: F401
    clip_grad_norm,
    clip_grad_norm_,
    clip_grad_value_,
    clip_grads_with_norm_,
    get_total_norm,
)
from .convert_parameters import parameters_to_vector, vector_to_parameters  # noqa: F401
from .fusion import fuse_conv_bn_eval, fuse_conv_bn_weights, fuse_linear_bn_eval, fuse_linear_bn_weights  # noqa: F401
from .init import skip_init  # noqa: F401
from .spectral_norm import remove_spectral_norm, spectral_norm  # noqa: F401
from .weight_norm import remove_weight_norm, weight_norm  # noqa: F401


_OF_MEMORY_FORMAT = ("convert_conv2d_weight_memory_format", "convert_conv3d_weight_memory_format")
_SUBMODULES = ("memory_format", "parametrizations", "parametrize", "prune", "stateless")


def __getattr__(name):
    import importlib

    if name in _SUBMODULES:
        return importlib.import_module("." + name, __package__)
    if name in _OF_MEMORY_FORMAT:
        return getattr(importlib.import_module(".memory_format", __package__), name)
    raise AttributeError(f"module 'torch.nn.utils' has no attribute '{name}'")


def __dir__():
    return sorted({*globals(), *_SUBMODULES, *_OF_MEMORY_FORMAT})
