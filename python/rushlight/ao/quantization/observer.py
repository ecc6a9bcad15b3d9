"""Observers: modules that look at the numbers passing through them and say how to quantize them."""

from collections import OrderedDict

import rushlight as torch

from ..._library import publish
from ._observer_base import _ObserverBase, ObserverBase, UniformQuantizationObserverBase  # noqa: F401
from ._observer_histogram import HistogramObserver
from ._observer_minmax import (
    MinMaxObserver,
    MovingAverageMinMaxObserver,
    MovingAveragePerChannelMinMaxObserver,
    PerChannelMinMaxObserver,
)
from ._observer_others import (
    FixedQParamsObserver,
    NoopObserver,
    PlaceholderObserver,
    RecordingObserver,
    ReuseInputObserver,
)
from ._partial import _PartialWrapper, _with_args, _with_callable_args  # noqa: F401

__all__ = [
    "default_affine_fixed_qparams_observer", "default_debug_observer", "default_dynamic_quant_observer",
    "default_fixed_qparams_range_0to1_observer", "default_fixed_qparams_range_neg1to1_observer",
    "default_float_qparams_observer", "default_float_qparams_observer_4bit", "default_histogram_observer",
    "default_observer", "default_per_channel_weight_observer", "default_placeholder_observer",
    "default_reuse_input_observer", "default_symmetric_fixed_qparams_observer", "default_weight_observer",
    "get_observer_state_dict", "load_observer_state_dict", "per_channel_weight_observer_range_neg_127_to_127",
    "weight_observer_range_neg_127_to_127", "FixedQParamsObserver", "HistogramObserver", "MinMaxObserver",
    "MovingAverageMinMaxObserver", "MovingAveragePerChannelMinMaxObserver", "NoopObserver", "ObserverBase",
    "PerChannelMinMaxObserver", "PlaceholderObserver", "RecordingObserver", "ReuseInputObserver",
    "UniformQuantizationObserverBase",
]

default_observer = MinMaxObserver.with_args(quant_min=0, quant_max=127)
default_placeholder_observer = PlaceholderObserver
default_debug_observer = RecordingObserver
default_weight_observer = MinMaxObserver.with_args(dtype=torch.qint8, qscheme=torch.per_tensor_symmetric)
weight_observer_range_neg_127_to_127 = MinMaxObserver.with_args(
    dtype=torch.qint8, qscheme=torch.per_tensor_symmetric, quant_min=-127, quant_max=127, eps=2**-12
)
default_histogram_observer = HistogramObserver.with_args(quant_min=0, quant_max=127)
default_per_channel_weight_observer = PerChannelMinMaxObserver.with_args(
    dtype=torch.qint8, qscheme=torch.per_channel_symmetric
)
per_channel_weight_observer_range_neg_127_to_127 = PerChannelMinMaxObserver.with_args(
    dtype=torch.qint8, qscheme=torch.per_channel_symmetric, quant_min=-127, quant_max=127, eps=2**-12
)
default_dynamic_quant_observer = PlaceholderObserver.with_args(
    dtype=torch.quint8, quant_min=0, quant_max=255, is_dynamic=True
)
default_float_qparams_observer = PerChannelMinMaxObserver.with_args(
    dtype=torch.quint8, qscheme=torch.per_channel_affine_float_qparams, ch_axis=0
)
default_float_qparams_observer_4bit = PerChannelMinMaxObserver.with_args(
    dtype=torch.quint4x2, qscheme=torch.per_channel_affine_float_qparams, ch_axis=0
)
default_fixed_qparams_range_neg1to1_observer = FixedQParamsObserver.with_args(
    scale=2.0 / 256.0, zero_point=128, dtype=torch.quint8, quant_min=0, quant_max=255
)
default_fixed_qparams_range_0to1_observer = FixedQParamsObserver.with_args(
    scale=1.0 / 256.0, zero_point=0, dtype=torch.quint8, quant_min=0, quant_max=255
)
default_symmetric_fixed_qparams_observer = default_fixed_qparams_range_neg1to1_observer
default_affine_fixed_qparams_observer = default_fixed_qparams_range_0to1_observer
default_reuse_input_observer = ReuseInputObserver


def _is_activation_post_process(module):
    """Whether a module is an observer or a fake quantizer."""
    from .fake_quantize import FakeQuantizeBase

    return isinstance(module, (ObserverBase, FakeQuantizeBase))


def _is_per_channel_script_obs_instance(module):
    """Whether a module is a scripted observer of channels."""
    if not isinstance(module, torch.jit.RecursiveScriptModule):
        return False
    return module.original_name in ("PerChannelMinMaxObserver", "MovingAveragePerChannelMinMaxObserver")


def get_observer_state_dict(mod):
    """The entries of a model's state that belong to its observers."""
    state = mod.state_dict()
    found = OrderedDict((name, value) for name, value in state.items() if "activation_post_process" in name)
    found._metadata = {name: value for name, value in state._metadata.items() if "activation_post_process" in name}
    return found


def load_observer_state_dict(mod, obs_dict):
    """Gives the observers of a model the state that :func:`get_observer_state_dict` took.

    Raises:
        RuntimeError: entries are missing or left over.
    """
    missing, unexpected = [], []
    for name, module in mod.named_modules():
        prefix = name + "."
        if _is_activation_post_process(module):
            module._load_from_state_dict(obs_dict, prefix, {}, False, missing, unexpected, [])
    for name in missing:
        if "observer" in name or "activation_post_process" in name:
            raise Exception(f"Missing keys for observer {name} in state_dict")  # noqa: TRY002
    for name in unexpected:
        if "observer" in name or "activation_post_process" in name:
            raise Exception(f"Unexpected keys for observer {name} in state_dict")  # noqa: TRY002


publish(globals())
