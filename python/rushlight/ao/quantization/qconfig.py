"""What to do with activations and weights: a constructor of an observer or fake quantizer for each."""

import copy
import warnings
from collections import namedtuple
from typing import Optional

import rushlight as torch

from ..._library import publish
from ...nn import Identity, Module
from . import fake_quantize as fq
from . import observer as ob

__all__ = [
    "QConfig", "QConfigDynamic", "default_qconfig", "default_debug_qconfig", "default_per_channel_qconfig",
    "default_dynamic_qconfig", "float16_dynamic_qconfig", "float16_static_qconfig", "per_channel_dynamic_qconfig",
    "float_qparams_weight_only_qconfig", "float_qparams_weight_only_qconfig_4bit", "default_quint8_weight_qconfig",
    "default_qat_qconfig", "default_dynamic_qat_qconfig", "default_weight_only_qconfig",
    "default_activation_only_qconfig", "default_qat_qconfig_v2", "default_reuse_input_qconfig",
    "default_symmetric_qnnpack_qconfig", "default_per_channel_symmetric_qnnpack_qconfig",
    "default_symmetric_qnnpack_qat_qconfig", "default_per_channel_symmetric_qnnpack_qat_qconfig",
    "default_embedding_qat_qconfig", "default_embedding_qat_qconfig_4bit", "get_default_qconfig",
    "get_default_qat_qconfig", "get_default_qconfig_dict", "get_default_qat_qconfig_dict", "QConfigAny", "qconfig_equals",
]


class QConfig(namedtuple("QConfig", ["activation", "weight"])):
    """How to quantize a module: constructors of what watches its results and its weights.

    Raises:
        ValueError: an instance where a constructor belongs.
    """

    __slots__ = ()

    def __new__(cls, activation, weight):
        if isinstance(activation, Module) or isinstance(weight, Module):
            raise ValueError(
                "QConfig received observer instance, please pass observer class instead. "
                "Use MyObserver.with_args(x=1) to override arguments to constructor if needed"
            )
        return super().__new__(cls, activation, weight)


class QConfigDynamic(namedtuple("QConfigDynamic", ["activation", "weight"])):
    """The older form of a configuration with scales that each input gives."""

    __slots__ = ()

    def __new__(cls, activation=Identity, weight=Identity):
        warnings.warn(
            "`QConfigDynamic` is going to be deprecated in PyTorch 1.12, please use `QConfig` instead",
            FutureWarning,
            stacklevel=2,
        )
        if isinstance(weight, Module):
            raise ValueError(
                "QConfigDynamic received observer instance, please pass observer class instead. "
                "Use MyObserver.with_args(x=1) to override arguments to constructor if needed"
            )
        return super().__new__(cls, activation, weight)


QConfigAny = Optional[QConfig]

default_qconfig = QConfig(activation=ob.default_observer, weight=ob.default_weight_observer)
default_debug_qconfig = QConfig(weight=ob.default_weight_observer, activation=ob.default_debug_observer)
default_per_channel_qconfig = QConfig(activation=ob.default_observer, weight=ob.default_per_channel_weight_observer)
default_dynamic_qconfig = QConfig(activation=ob.default_dynamic_quant_observer, weight=ob.default_weight_observer)
_HALF = ob.PlaceholderObserver.with_args(dtype=torch.float16)
float16_dynamic_qconfig = QConfig(
    activation=ob.PlaceholderObserver.with_args(dtype=torch.float16, is_dynamic=True), weight=_HALF
)
float16_static_qconfig = QConfig(activation=_HALF, weight=_HALF)
per_channel_dynamic_qconfig = QConfig(
    activation=ob.default_dynamic_quant_observer, weight=ob.default_per_channel_weight_observer
)
float_qparams_weight_only_qconfig = QConfig(
    activation=ob.default_placeholder_observer, weight=ob.default_float_qparams_observer
)
float_qparams_weight_only_qconfig_4bit = QConfig(
    activation=ob.default_placeholder_observer, weight=ob.default_float_qparams_observer_4bit
)
default_qat_qconfig = QConfig(activation=fq.default_fake_quant, weight=fq.default_weight_fake_quant)
default_dynamic_qat_qconfig = QConfig(activation=fq.default_dynamic_fake_quant, weight=fq.default_weight_fake_quant)
default_weight_only_qconfig = QConfig(activation=Identity, weight=fq.default_weight_fake_quant)
default_activation_only_qconfig = QConfig(activation=fq.default_fake_quant, weight=Identity)
default_qat_qconfig_v2 = QConfig(activation=fq.default_fused_act_fake_quant, weight=fq.default_fused_wt_fake_quant)
default_reuse_input_qconfig = QConfig(activation=ob.default_reuse_input_observer, weight=ob.NoopObserver)
default_quint8_weight_qconfig = QConfig(activation=ob.HistogramObserver, weight=ob.MinMaxObserver)
_SIGNED_HISTOGRAM = ob.HistogramObserver.with_args(dtype=torch.qint8, reduce_range=False, eps=2**-12)
default_symmetric_qnnpack_qconfig = QConfig(
    activation=_SIGNED_HISTOGRAM, weight=ob.weight_observer_range_neg_127_to_127
)
default_per_channel_symmetric_qnnpack_qconfig = QConfig(
    activation=_SIGNED_HISTOGRAM, weight=ob.per_channel_weight_observer_range_neg_127_to_127
)
_SIGNED_AVERAGE = fq.FusedMovingAvgObsFakeQuantize.with_args(
    observer=ob.MovingAverageMinMaxObserver,
    quant_min=-128,
    quant_max=127,
    dtype=torch.qint8,
    reduce_range=False,
    eps=2**-12,
)
default_symmetric_qnnpack_qat_qconfig = QConfig(
    activation=_SIGNED_AVERAGE, weight=fq.fused_wt_fake_quant_range_neg_127_to_127
)
default_per_channel_symmetric_qnnpack_qat_qconfig = QConfig(
    activation=_SIGNED_AVERAGE, weight=fq.fused_per_channel_wt_fake_quant_range_neg_127_to_127
)
_PLAIN_FLOAT = ob.NoopObserver.with_args(dtype=torch.float32)
default_embedding_qat_qconfig = QConfig(activation=_PLAIN_FLOAT, weight=fq.default_embedding_fake_quant)
default_embedding_qat_qconfig_4bit = QConfig(activation=_PLAIN_FLOAT, weight=fq.default_embedding_fake_quant_4bit)

_BACKENDS = ["fbgemm", "x86", "qnnpack", "onednn"]


def _check_backend(backend):
    if backend not in _BACKENDS:
        raise AssertionError(f"backend: {backend} not supported. backend must be one of {_BACKENDS}")


def get_default_qconfig(backend="x86", version=0):
    """The configuration for quantizing a trained model that runs on a backend.

    Raises:
        AssertionError: no such backend or version.
    """
    _check_backend(backend)
    if version != 0:
        raise AssertionError(f"Version number: {version} in get_default_qconfig is not supported. Version number must be 0")
    weight = ob.default_weight_observer if backend == "qnnpack" else ob.default_per_channel_weight_observer
    activation = ob.HistogramObserver.with_args(reduce_range=backend in ("fbgemm", "x86"))
    return QConfig(activation=activation, weight=weight)


def get_default_qat_qconfig(backend="x86", version=1):
    """The configuration for training with quantization for a backend; version 0 observes and rounds in two steps.

    Raises:
        AssertionError: no such backend or version.
    """
    _check_backend(backend)
    if version not in (0, 1):
        raise AssertionError(
            f"Version number: {version}in get_default_qat_qconfig is not supported. Version number must be 0 or 1"
        )
    arguments = {"observer": ob.MovingAverageMinMaxObserver, "quant_min": 0, "quant_max": 255}
    if backend != "onednn":
        arguments["reduce_range"] = backend in ("fbgemm", "x86")
    if version == 0:
        activation = fq.FakeQuantize.with_args(**arguments)
        weight = fq.default_weight_fake_quant if backend == "qnnpack" else fq.default_per_channel_weight_fake_quant
    else:
        activation = fq.FusedMovingAvgObsFakeQuantize.with_args(**arguments)
        weight = fq.default_fused_wt_fake_quant if backend == "qnnpack" else fq.default_fused_per_channel_wt_fake_quant
    return QConfig(activation=activation, weight=weight)


def _old_form(name, instead):
    warnings.warn(
        f"`torch.ao.quantization.{name}` is deprecated and will be removed in a future version. "
        f"Please use `torch.ao.quantization.{instead}` instead.",
        FutureWarning,
        stacklevel=3,
    )


def get_default_qconfig_dict(backend="x86", version=0):
    """:func:`get_default_qconfig_mapping` as a dictionary."""
    from .qconfig_mapping import get_default_qconfig_mapping

    _old_form("get_default_qconfig_dict", "get_default_qconfig_mapping")
    return get_default_qconfig_mapping(backend, version).to_dict()


def get_default_qat_qconfig_dict(backend="x86", version=1):
    """:func:`get_default_qat_qconfig_mapping` as a dictionary."""
    from .qconfig_mapping import get_default_qat_qconfig_mapping

    _old_form("get_default_qat_qconfig_dict", "get_default_qat_qconfig_mapping")
    return get_default_qat_qconfig_mapping(backend, version).to_dict()


# Kinds of modules that need weights with one scale.
_TRANSPOSED = (torch.nn.ConvTranspose1d, torch.nn.ConvTranspose2d, torch.nn.ConvTranspose3d)


def _assert_valid_qconfig(qconfig, mod):
    """Refuses a scale for every channel where a module cannot have them."""
    if qconfig is None or not isinstance(mod, _TRANSPOSED) or qconfig.weight is None:
        return
    example = qconfig.weight()
    if isinstance(example, (ob.PerChannelMinMaxObserver, ob.MovingAveragePerChannelMinMaxObserver)):
        raise AssertionError("Per channel weight observer is not supported yet for ConvTranspose{n}d.")


def _add_module_to_qconfig_obs_ctr(qconfig, module):
    """The same configuration: everything here is on one device."""
    return qconfig


def _partial_wrapper_equals(obs_or_fq1, obs_or_fq2):
    """Whether two constructors make the same."""
    first, second = copy.copy(obs_or_fq1.p.keywords), copy.copy(obs_or_fq2.p.keywords)
    observers_equal = True
    if "observer" in first and "observer" in second:
        observers_equal = _obs_or_fq_ctr_equals(first.pop("observer"), second.pop("observer"))
    return first == second and obs_or_fq1.p.func == obs_or_fq2.p.func and observers_equal


def _obs_or_fq_ctr_equals(obs_or_fq1, obs_or_fq2):
    if isinstance(obs_or_fq1, ob._PartialWrapper) and isinstance(obs_or_fq2, ob._PartialWrapper):
        return _partial_wrapper_equals(obs_or_fq1, obs_or_fq2)
    return obs_or_fq1 == obs_or_fq2


def qconfig_equals(q1, q2):
    """Whether two configurations ask for the same."""
    if q1 is None or q2 is None:
        return q1 == q2
    try:
        return _obs_or_fq_ctr_equals(q1.activation, q2.activation) and _obs_or_fq_ctr_equals(q1.weight, q2.weight)
    except AttributeError:
        return q1 == q2



publish(globals())
