"""Fake quantizers: modules that round numbers to those which integers can stand for, so that training learns to live with it."""

import re
from abc import ABC, abstractmethod

import rushlight as torch

from ..._library import publish
from ..._rushlight import Tensor
from ...nn import Module
from . import utils
from .observer import (
    _with_args,
    FixedQParamsObserver,
    HistogramObserver,
    MovingAverageMinMaxObserver,
    MovingAveragePerChannelMinMaxObserver,
    default_fixed_qparams_range_0to1_observer,
    default_fixed_qparams_range_neg1to1_observer,
)

__all__ = [
    "FakeQuantizeBase", "FakeQuantize", "FixedQParamsFakeQuantize", "FusedMovingAvgObsFakeQuantize", "disable_fake_quant",
    "disable_observer", "enable_fake_quant", "enable_observer", "default_fake_quant", "default_weight_fake_quant",
    "default_dynamic_fake_quant", "default_fixed_qparams_range_neg1to1_fake_quant",
    "default_fixed_qparams_range_0to1_fake_quant", "default_symmetric_fixed_qparams_fake_quant",
    "default_affine_fixed_qparams_fake_quant", "default_per_channel_weight_fake_quant", "default_embedding_fake_quant",
    "default_embedding_fake_quant_4bit", "default_histogram_fake_quant", "default_fused_act_fake_quant",
    "default_fused_wt_fake_quant", "default_fused_per_channel_wt_fake_quant", "fused_wt_fake_quant_range_neg_127_to_127",
    "fused_per_channel_wt_fake_quant_range_neg_127_to_127",
]

_is_per_channel = utils.is_per_channel
_is_per_tensor = utils.is_per_tensor


def _is_symmetric_quant(qscheme):
    """Whether a scheme has zero in its middle."""
    return qscheme in (torch.per_tensor_symmetric, torch.per_channel_symmetric)


def _is_float_qparams(qscheme):
    """Whether zero points are numbers."""
    return qscheme == torch.per_channel_affine_float_qparams


class FakeQuantizeBase(ABC, Module):
    """What fake quantizers share: whether they look at numbers, and whether they change them."""

    fake_quant_enabled: Tensor
    observer_enabled: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("fake_quant_enabled", torch.tensor([1], dtype=torch.uint8))
        self.register_buffer("observer_enabled", torch.tensor([1], dtype=torch.uint8))

    @abstractmethod
    def forward(self, x):
        """The numbers that integers can stand for."""

    @abstractmethod
    def calculate_qparams(self, **kwargs):
        """Scale and zero point for what has been seen."""

    @torch.jit.export
    def enable_fake_quant(self, enabled: bool = True) -> None:
        """Begins to change numbers."""
        self.fake_quant_enabled[0] = 1 if enabled else 0

    @torch.jit.export
    def disable_fake_quant(self):
        """Lets numbers through as they are."""
        self.enable_fake_quant(False)

    @torch.jit.export
    def enable_observer(self, enabled: bool = True) -> None:
        """Begins to look at numbers."""
        self.observer_enabled[0] = 1 if enabled else 0

    @torch.jit.export
    def disable_observer(self):
        """Keeps scale and zero point as they are."""
        self.enable_observer(False)

    @classmethod
    def with_args(cls, **kwargs):
        """A constructor of this class with arguments set."""
        made = _with_args(cls, **kwargs)
        made.__module__ = "torch.ao.quantization.fake_quantize"
        return made


class FakeQuantize(FakeQuantizeBase):
    """Rounds numbers to those that integers can stand for, by what an observer has seen.

    Args:
        observer: the class of the observer, or one with arguments set.
        quant_min, quant_max: the range of integers.
        is_dynamic: whether scales are to be found anew for every input.
        observer_kwargs: arguments of the observer.

    Raises:
        AssertionError: the range does not fit the dtype.
    """

    scale: Tensor
    zero_point: Tensor

    def __init__(
        self, observer=MovingAverageMinMaxObserver, quant_min=None, quant_max=None, is_dynamic=False, **observer_kwargs
    ):
        super().__init__()
        if quant_min is not None and quant_max is not None:
            if quant_min > quant_max:
                raise AssertionError("quant_min must be less than or equal to quant_max")
            dtype = observer_kwargs.get("dtype", torch.quint8)
            if hasattr(observer, "p"):
                # Of an observer with arguments set.
                dtype = getattr(getattr(observer, "p", {}), "keywords", {}).get("dtype", dtype)
            bounds = torch.iinfo(utils.to_underlying_dtype(dtype)) if dtype != torch.quint4x2 else None
            if bounds is not None and bounds.min > quant_min:
                raise AssertionError("quant_min out of bound")
            if bounds is not None and quant_max > bounds.max:
                raise AssertionError("quant_max out of bound")
            observer_kwargs.update({"quant_min": quant_min, "quant_max": quant_max})
        observer_kwargs["is_dynamic"] = is_dynamic
        self.activation_post_process = observer(**observer_kwargs)
        self.quant_min = self.activation_post_process.quant_min
        self.quant_max = self.activation_post_process.quant_max
        self.is_dynamic = self.activation_post_process.is_dynamic
        is_float = _is_float_qparams(self.activation_post_process.qscheme)
        self.register_buffer("scale", torch.tensor([1.0], dtype=torch.float))
        self.register_buffer("zero_point", torch.tensor([0], dtype=torch.float if is_float else torch.int))
        self.dtype = self.activation_post_process.dtype
        self.qscheme = self.activation_post_process.qscheme
        self.ch_axis = getattr(self.activation_post_process, "ch_axis", -1)
        if not (_is_per_channel(self.qscheme) or _is_per_tensor(self.qscheme)):
            raise AssertionError(
                "Only per channel and per tensor quantization are supported in fake quantize got qscheme: " + str(self.qscheme)
            )
        self.is_per_channel = _is_per_channel(self.qscheme)

    @torch.jit.export
    def calculate_qparams(self):
        """Scale and zero point for what the observer has seen."""
        return self.activation_post_process.calculate_qparams()

    def forward(self, X):
        if self.observer_enabled[0] == 1:
            self.activation_post_process(X.detach())
            scale, zero_point = self.calculate_qparams()
            if self.scale.shape != scale.shape:
                self.scale.resize_(scale.shape)
                self.zero_point.resize_(zero_point.shape)
            self.scale.copy_(scale)
            self.zero_point.copy_(zero_point)
        if self.fake_quant_enabled[0] == 1:
            if self.is_per_channel:
                X = torch.fake_quantize_per_channel_affine(
                    X, self.scale, self.zero_point, self.ch_axis, self.quant_min, self.quant_max
                )
            else:
                X = torch.fake_quantize_per_tensor_affine(X, self.scale, self.zero_point, self.quant_min, self.quant_max)
        return X

    def extra_repr(self):
        return (
            f"fake_quant_enabled={self.fake_quant_enabled}, observer_enabled={self.observer_enabled}, "
            f"quant_min={self.activation_post_process.quant_min}, quant_max={self.activation_post_process.quant_max}, "
            f"dtype={self.dtype}, qscheme={self.qscheme}, ch_axis={self.ch_axis}, scale={self.scale}, "
            f"zero_point={self.zero_point}"
        )

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        super()._save_to_state_dict(destination, prefix, keep_vars)
        destination[prefix + "scale"] = self.scale
        destination[prefix + "zero_point"] = self.zero_point

    def _load_from_state_dict(
        self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
    ):
        for name in ("scale", "zero_point"):
            found = state_dict.get(prefix + name)
            if found is not None:
                # As many elements as what is loaded has.
                getattr(self, name).resize_(found.shape)
            elif strict:
                missing_keys.append(prefix + name)
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )


class FixedQParamsFakeQuantize(FakeQuantize):
    """Rounds numbers by a scale and a zero point that are set from the start.

    Args:
        observer: a :class:`FixedQParamsObserver` with its arguments set.
    """

    def __init__(self, observer):
        super().__init__(observer=observer)
        if type(self.activation_post_process) is not FixedQParamsObserver:
            raise AssertionError(f"{self.__class__.__name__}'s observer must be a FixedQParamsObserver")
        self._observer_ctr = observer
        self.scale = self.activation_post_process.scale
        self.zero_point = self.activation_post_process.zero_point
        if not _is_per_tensor(self.qscheme):
            raise AssertionError(
                "Only per tensor quantization is supported FixedQParamsFakeQuantize module, got qscheme:" + str(self.qscheme)
            )

    @torch.jit.export
    def calculate_qparams(self):
        """The scale and zero point that were set."""
        return self.scale, self.zero_point

    def extra_repr(self):
        return (
            f"fake_quant_enabled={self.fake_quant_enabled}, observer_enabled={self.observer_enabled}, scale={self.scale}, "
            f"zero_point={self.zero_point}, dtype={self.dtype}, quant_min={self.activation_post_process.quant_min}, "
            f"quant_max={self.activation_post_process.quant_max}, qscheme={self.qscheme}"
        )


class FusedMovingAvgObsFakeQuantize(FakeQuantize):
    """Observes by moving averages and rounds, in one operation.

    Args:
        observer: an observer of moving averages.
        quant_min, quant_max: the range of integers.
        observer_kwargs: arguments of the observer.
    """

    def __init__(self, observer=MovingAverageMinMaxObserver, quant_min=0, quant_max=255, **observer_kwargs):
        super().__init__(observer, quant_min, quant_max, **observer_kwargs)
        if not isinstance(
            self.activation_post_process, (MovingAverageMinMaxObserver, MovingAveragePerChannelMinMaxObserver)
        ):
            raise AssertionError("Fused observer+fake_quant module only works with MovingAverageMinMaxObserver")
        self.register_buffer("fake_quant_enabled", torch.tensor([1], dtype=torch.long))
        self.register_buffer("observer_enabled", torch.tensor([1], dtype=torch.long))
        self.is_symmetric_quant = _is_symmetric_quant(self.activation_post_process.qscheme)

    @torch.jit.export
    def calculate_qparams(self):
        """Scale and zero point for what the observer has seen."""
        return self.activation_post_process.calculate_qparams()

    def extra_repr(self):
        return (
            f"fake_quant_enabled={self.fake_quant_enabled}, observer_enabled={self.observer_enabled}, scale={self.scale}, "
            f"zero_point={self.zero_point}, dtype={self.dtype}, quant_min={self.activation_post_process.quant_min}, "
            f"quant_max={self.activation_post_process.quant_max}, qscheme={self.qscheme}, "
            f"reduce_range={self.activation_post_process.reduce_range}"
        )

    def forward(self, X):
        # What the derivative keeps must not change when the same quantizer runs again.
        scale, zero_point = self.scale.clone(), self.zero_point.clone()
        rounded = torch.fused_moving_avg_obs_fake_quant(
            X,
            self.observer_enabled,
            self.fake_quant_enabled,
            self.activation_post_process.min_val,
            self.activation_post_process.max_val,
            scale,
            zero_point,
            self.activation_post_process.averaging_constant,
            self.activation_post_process.quant_min,
            self.activation_post_process.quant_max,
            self.ch_axis,
            self.is_per_channel,
            self.is_symmetric_quant,
        )
        self.scale.resize_(scale.shape).copy_(scale)
        self.zero_point.resize_(zero_point.shape).copy_(zero_point)
        return rounded


default_fake_quant = FakeQuantize.with_args(
    observer=MovingAverageMinMaxObserver,
    quant_min=0,
    quant_max=255,
    dtype=torch.quint8,
    qscheme=torch.per_tensor_affine,
    reduce_range=True,
)
default_weight_fake_quant = FakeQuantize.with_args(
    observer=MovingAverageMinMaxObserver,
    quant_min=-128,
    quant_max=127,
    dtype=torch.qint8,
    qscheme=torch.per_tensor_symmetric,
    reduce_range=False,
)
default_dynamic_fake_quant = FakeQuantize.with_args(
    observer=MovingAverageMinMaxObserver,
    quant_min=0,
    quant_max=255,
    is_dynamic=True,
    dtype=torch.quint8,
    averaging_constant=1,
)
default_fixed_qparams_range_neg1to1_fake_quant = FixedQParamsFakeQuantize.with_args(
    observer=default_fixed_qparams_range_neg1to1_observer
)
default_fixed_qparams_range_0to1_fake_quant = FixedQParamsFakeQuantize.with_args(
    observer=default_fixed_qparams_range_0to1_observer
)
default_symmetric_fixed_qparams_fake_quant = default_fixed_qparams_range_neg1to1_fake_quant
default_affine_fixed_qparams_fake_quant = default_fixed_qparams_range_0to1_fake_quant
default_per_channel_weight_fake_quant = FakeQuantize.with_args(
    observer=MovingAveragePerChannelMinMaxObserver,
    quant_min=-128,
    quant_max=127,
    dtype=torch.qint8,
    qscheme=torch.per_channel_symmetric,
    reduce_range=False,
    ch_axis=0,
)
default_embedding_fake_quant = FakeQuantize.with_args(
    observer=MovingAveragePerChannelMinMaxObserver,
    qscheme=torch.per_channel_affine_float_qparams,
    dtype=torch.quint8,
    quant_min=0,
    quant_max=255,
    ch_axis=0,
    averaging_constant=1,
)
default_embedding_fake_quant_4bit = FakeQuantize.with_args(
    observer=MovingAveragePerChannelMinMaxObserver,
    qscheme=torch.per_channel_affine_float_qparams,
    ch_axis=0,
    dtype=torch.quint4x2,
    averaging_constant=1,
)
default_histogram_fake_quant = FakeQuantize.with_args(
    observer=HistogramObserver,
    quant_min=0,
    quant_max=255,
    dtype=torch.quint8,
    qscheme=torch.per_tensor_affine,
    reduce_range=True,
)
default_fused_act_fake_quant = FusedMovingAvgObsFakeQuantize.with_args(
    observer=MovingAverageMinMaxObserver, quant_min=0, quant_max=255, dtype=torch.quint8
)
default_fused_wt_fake_quant = FusedMovingAvgObsFakeQuantize.with_args(
    observer=MovingAverageMinMaxObserver,
    quant_min=-128,
    quant_max=127,
    dtype=torch.qint8,
    qscheme=torch.per_tensor_symmetric,
)
default_fused_per_channel_wt_fake_quant = FusedMovingAvgObsFakeQuantize.with_args(
    observer=MovingAveragePerChannelMinMaxObserver,
    quant_min=-128,
    quant_max=127,
    dtype=torch.qint8,
    qscheme=torch.per_channel_symmetric,
)
fused_wt_fake_quant_range_neg_127_to_127 = FusedMovingAvgObsFakeQuantize.with_args(
    observer=MovingAverageMinMaxObserver,
    quant_min=-127,
    quant_max=127,
    dtype=torch.qint8,
    qscheme=torch.per_tensor_symmetric,
    eps=2**-12,
)
fused_per_channel_wt_fake_quant_range_neg_127_to_127 = FusedMovingAvgObsFakeQuantize.with_args(
    observer=MovingAveragePerChannelMinMaxObserver,
    quant_min=-127,
    quant_max=127,
    dtype=torch.qint8,
    qscheme=torch.per_channel_symmetric,
    eps=2**-12,
)


def _is_fake_quant_script_module(mod):
    """Whether a module is a scripted fake quantizer."""
    if not isinstance(mod, torch.jit.RecursiveScriptModule):
        return False
    return re.sub("^.*___torch_mangle_[0-9]+.", "", mod.original_name) in ("FakeQuantize", "FusedMovingAvgObsFakeQuantize")


def _is_one(mod):
    return isinstance(mod, FakeQuantizeBase) or _is_fake_quant_script_module(mod)


def disable_fake_quant(mod):
    """Lets numbers through a fake quantizer as they are: ``model.apply(disable_fake_quant)``."""
    if _is_one(mod):
        mod.disable_fake_quant()


def enable_fake_quant(mod):
    """Makes a fake quantizer change numbers: ``model.apply(enable_fake_quant)``."""
    if _is_one(mod):
        mod.enable_fake_quant()


def disable_observer(mod):
    """Keeps the scale of a fake quantizer as it is: ``model.apply(disable_observer)``."""
    if _is_one(mod):
        mod.disable_observer()


def enable_observer(mod):
    """Makes a fake quantizer look at numbers: ``model.apply(enable_observer)``."""
    if _is_one(mod):
        mod.enable_observer()


publish(globals())
