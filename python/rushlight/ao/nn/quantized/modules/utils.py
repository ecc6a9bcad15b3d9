"""What quantized layers share: weights as observers say, and how layers print."""

import abc
import itertools

import rushlight as torch

from ....._library import publish
from .....nn import Module

__all__ = ["WeightedQuantizedModule"]


class WeightedQuantizedModule(Module, metaclass=abc.ABCMeta):
    """A layer with packed weights."""

    @classmethod
    @abc.abstractmethod
    def from_reference(cls, ref_module, output_scale, output_zero_point):
        """The layer for one that keeps its weights unpacked."""


def _keep_bias(packed, bias):
    """Lets a bias live as long as what it is packed into, so that unpacking finds the same object: a parameter stays one."""
    if bias is not None:
        packed._bias = bias


def _get_weight_observer(observer):
    """The observer within a fake quantizer."""
    return getattr(observer, "activation_post_process", observer)


def _needs_weight_clamping(observer, dtype):
    """Whether an observer's range is smaller than that of the dtype."""
    observer = _get_weight_observer(observer)
    if dtype in (torch.qint8, torch.quint8, torch.qint32):
        info = torch.iinfo({torch.qint8: torch.int8, torch.quint8: torch.uint8, torch.qint32: torch.int32}[dtype])
        return observer.quant_min > info.min or observer.quant_max < info.max
    return False


def _clamp_weights(qweight, observer, scale, zp):
    """The weights within the observer's range of integers."""
    if not _needs_weight_clamping(observer, qweight.dtype):
        return qweight
    observer = _get_weight_observer(observer)
    integers = torch.clamp(qweight.int_repr(), observer.quant_min, observer.quant_max)
    if observer.qscheme in (torch.per_tensor_symmetric, torch.per_tensor_affine):
        return torch._make_per_tensor_quantized_tensor(integers, scale.item(), zp.item())
    if observer.qscheme in (torch.per_channel_symmetric, torch.per_channel_affine, torch.per_channel_affine_float_qparams):
        return torch._make_per_channel_quantized_tensor(integers, scale, zp, axis=observer.ch_axis)
    raise ValueError("Unexpected qscheme " + observer.qscheme)


def _quantize_weight(float_wt, observer):
    """The weight, quantized with the scale and zero point that its observer found."""
    weight_scale, weight_zp = observer.calculate_qparams()
    if observer.qscheme in (torch.per_tensor_symmetric, torch.per_tensor_affine):
        qweight = torch.quantize_per_tensor(float_wt, float(weight_scale), int(weight_zp), torch.qint8)
    elif observer.qscheme in (torch.per_channel_symmetric, torch.per_channel_affine):
        qweight = torch.quantize_per_channel(
            float_wt, weight_scale.to(torch.double), weight_zp.to(torch.int64), observer.ch_axis, torch.qint8
        )
    elif observer.qscheme == torch.per_channel_affine_float_qparams:
        return torch.quantize_per_channel(
            float_wt, weight_scale.to(torch.float), weight_zp.to(torch.float), observer.ch_axis, observer.dtype
        )
    else:
        raise ValueError(f"Unexpected qscheme {observer.qscheme}")
    return _clamp_weights(qweight, observer, weight_scale, weight_zp)


def _ntuple_from_first(n):
    """A function that repeats the first element, or a number, `n` times."""

    def parse(x):
        while isinstance(x, (tuple, list)):
            if len(x) == n:
                break
            x = x[0]
        return tuple(x) if isinstance(x, (tuple, list)) else tuple(itertools.repeat(x, n))

    return parse


def _pair_from_first(x):
    """Two of the first element of a pair, or of a number."""
    if isinstance(x, (tuple, list)):
        x = x[0]
    return x, x


def _hide_packed_params_repr(self, params):
    """How a layer prints: without its packed weights."""
    from .....nn.modules.module import _addindent

    lines = []
    extra = self.extra_repr()
    extra_lines = extra.split("\n") if extra else []
    for name, module in self._modules.items():
        if not isinstance(module, params):
            lines.append(f"({name}): {_addindent(repr(module), 2)}")
    text = self._get_name() + "("
    shown = extra_lines + lines
    if shown:
        text += extra_lines[0] if len(extra_lines) == 1 and not lines else "\n  " + "\n  ".join(shown) + "\n"
    return text + ")"


def _empty_weight(shape):
    """Weights of a layer that was not given any: zeros."""
    return torch._make_per_tensor_quantized_tensor(torch.zeros(shape, dtype=torch.int8), 1.0, 0)


publish(globals())
