"""Functions of the ``torch`` namespace on quantized numbers that are no operators here."""

import math
import struct

import rushlight as torch

from . import _rushlight

# Scales below this are widened: their inverse would lose digits.
_SMALL = 6.1e-5


def _single(x):
    """A number rounded to float32."""
    return struct.unpack("f", struct.pack("f", x))[0]


def _choose(low, high, quant_min, quant_max, symmetric):
    """Scale and zero point for numbers between `low` and `high`, as kernels choose them: ranges in float32, scales in float64."""
    low, high = min(_single(low), 0.0), max(_single(high), 0.0)
    if symmetric and low < 0 < high:
        # The range around zero that contains this one.
        half_low, half_high = -((quant_max - quant_min) // 2 + 1), (quant_max - quant_min) // 2
        step = max(abs(low / half_low), abs(high / half_high))
        low, high = _single(step * half_low), _single(step * half_high)
    scale = (high - low) / (quant_max - quant_min)
    if _single(scale) == 0.0 or math.isinf(1.0 / _single(scale)):
        scale = 0.1
    if scale < _SMALL:
        found, scale = scale, _SMALL
        if low == 0.0:
            high = _single(_SMALL * (quant_max - quant_min))
        elif high == 0.0:
            low = _single(-_SMALL * (quant_max - quant_min))
        else:
            low, high = _single(low * (_SMALL / found)), _single(high * (_SMALL / found))
    from_low, from_high = quant_min - low / scale, quant_max - high / scale
    error_low = abs(quant_min) - abs(low / scale)
    error_high = abs(quant_max) - abs(high / scale)
    zero_point = from_low if error_low < error_high else from_high
    if symmetric and low < 0 < high:
        zero_point = int((quant_min + quant_max) / 2)
    return scale, int(min(max(round(zero_point), quant_min), quant_max))


def _native(name):
    return _rushlight.Builtin("aten::" + name, "torch." + name)


_per_tensor, _per_channel = _native("fake_quantize_per_tensor_affine"), _native("fake_quantize_per_channel_affine")


class _StraightThrough(torch.autograd.Function):
    """Rounded numbers, through which gradients pass where numbers lay within the range."""

    @staticmethod
    def forward(ctx, input, rounded):
        out, mask = rounded(input.detach())
        ctx.save_for_backward(mask)
        return out

    @staticmethod
    def backward(ctx, grad):
        (mask,) = ctx.saved_tensors
        return grad * mask, None


def fake_quantize_per_tensor_affine(input, scale, zero_point, quant_min, quant_max):
    """The numbers that integers between `quant_min` and `quant_max` can stand for, nearest to those of `input`.

    Args:
        input: numbers of any shape.
        scale, zero_point: numbers, or tensors of one element.
        quant_min, quant_max: the range of integers.
    """
    _check_range(quant_min, quant_max)
    if not isinstance(zero_point, torch.Tensor):
        _check_zero(quant_min <= zero_point <= quant_max)
    elif isinstance(input, torch.Tensor) and not quant_min <= zero_point <= quant_max:
        # That of a tensor may lie anywhere.
        return _StraightThrough.apply(
            input, lambda x: _with_float_zeros(x, scale.reshape(-1), zero_point.reshape(-1), 0, quant_min, quant_max)
        )
    return _per_tensor(input, scale, zero_point, quant_min, quant_max)


def fake_quantize_per_channel_affine(input, scale, zero_point, axis, quant_min, quant_max):
    """:func:`fake_quantize_per_tensor_affine` with a scale and zero point for every channel, which dimension `axis` counts."""
    if isinstance(scale, torch.Tensor) and isinstance(zero_point, torch.Tensor):
        _check_channels(input, scale, zero_point, axis)
    _check_range(quant_min, quant_max)
    if isinstance(zero_point, torch.Tensor) and not zero_point.dtype.is_floating_point:
        _check_zero(bool(((zero_point >= quant_min) & (zero_point <= quant_max)).all()))
    if isinstance(zero_point, torch.Tensor) and zero_point.dtype.is_floating_point:
        return _StraightThrough.apply(input, lambda x: _with_float_zeros(x, scale, zero_point, axis, quant_min, quant_max))
    return _per_channel(input, scale, zero_point, axis, quant_min, quant_max)


def _check_range(low, high):
    if low > high:
        raise RuntimeError("`quant_min` should be less than or         equal to `quant_max`.")


def _check_zero(is_inside):
    if not is_inside:
        raise RuntimeError("`zero_point` must be between `quant_min` and `quant_max`.")


def _check_channels(input, scale, zero_point, axis):
    if scale.dtype not in (torch.float32, torch.bfloat16):
        raise RuntimeError(f"Scale must be Float or BFloat16, found {_kind(scale)}")
    if zero_point.dtype not in (torch.int32, torch.float32, torch.float16):
        raise RuntimeError(f"Zero-point must be Int32, Float or Half, found {_kind(zero_point)}")
    if scale.dim() != 1:
        raise RuntimeError("scale should be a 1-D tensor")
    if zero_point.dim() != 1:
        raise RuntimeError("zero point should be a 1-D tensor")
    if scale.numel() != zero_point.numel():
        raise RuntimeError("scale and zero-point need to have the same dimensions")
    if scale.numel() != input.size(axis):
        raise RuntimeError("dimensions of scale and zero-point are not consistent with input tensor")


def _kind(tensor):
    return tensor.type().removeprefix("torch.").removesuffix("Tensor")


def _with_float_zeros(x, scale, zero_point, axis, quant_min, quant_max):
    """Rounded numbers where zero points are numbers, which take part before the rounding; and which lay within the range."""
    shape = [1] * x.dim()
    shape[axis] = -1
    scale, zero_point = scale.reshape(shape), zero_point.reshape(shape)
    integers = torch.round(x * (1.0 / scale) + zero_point) + 0.0
    mask = (integers >= quant_min) & (integers <= quant_max)
    numbers = (integers.clamp(quant_min, quant_max).double() - zero_point.double()) * scale.double()
    return numbers.to(x.dtype), mask


def fused_moving_avg_obs_fake_quant(
    input,
    observer_on,
    fake_quant_on,
    running_min,
    running_max,
    scale,
    zero_point,
    averaging_const,
    quant_min,
    quant_max,
    ch_axis,
    per_row_fake_quant=False,
    symmetric_quant=False,
):
    """Moves averages of the smallest and largest numbers, sets scale and zero point by them and quantizes, as far as each is on.

    Args:
        input: numbers of any shape.
        observer_on, fake_quant_on: tensors of one element, 1 for on.
        running_min, running_max: the averages; written, and resized to one for every channel.
        scale, zero_point: written likewise.
        averaging_const: what each call counts in the averages.
        quant_min, quant_max: the range of integers.
        ch_axis: the dimension that counts channels.
        per_row_fake_quant: whether channels have scales of their own.
        symmetric_quant: whether zero lies in the middle.

    Returns:
        The numbers that the integers stand for, or `input` where quantizing is off.
    """
    is_on = fake_quant_on.item()
    if observer_on.item():
        with torch.no_grad():
            x = input.detach()
            if per_row_fake_quant:
                axis = ch_axis + x.dim() if ch_axis < 0 else ch_axis
                flat = x.transpose(0, axis).reshape(x.size(axis), -1)
                low, high = torch.aminmax(flat, dim=1)
                for kept in (running_min, running_max, scale, zero_point):
                    if kept.shape != low.shape:
                        fresh = kept.numel() == 0
                        kept.resize_(low.shape)
                        if fresh:
                            kept.fill_(float("inf") if kept is running_min else float("-inf") if kept is running_max else 0)
            else:
                low, high = torch.aminmax(x)
            _average(running_min, low.to(running_min.dtype), averaging_const)
            _average(running_max, high.to(running_max.dtype), averaging_const)
            lows, highs = running_min.reshape(-1).tolist(), running_max.reshape(-1).tolist()
            chosen = [_choose(lo, hi, quant_min, quant_max, symmetric_quant) for lo, hi in zip(lows, highs)]
            scale.copy_(torch.tensor([s for s, _ in chosen], dtype=torch.float32).reshape(scale.shape))
            zero_point.copy_(torch.tensor([z for _, z in chosen], dtype=torch.int32).reshape(zero_point.shape))
    if not is_on:
        return input.clone()
    if per_row_fake_quant:
        return torch.fake_quantize_per_channel_affine(input, scale, zero_point, ch_axis, quant_min, quant_max)
    return torch.fake_quantize_per_tensor_affine(input, scale, zero_point, quant_min, quant_max)


def _average(kept, seen, constant):
    """Moves an average; what has not been set before becomes what is seen."""
    moved = kept + constant * (seen.reshape(kept.shape) - kept)
    kept.copy_(torch.where(torch.isinf(kept), seen.reshape(kept.shape), moved))



def _fused_moving_avg_obs_fq_helper(*args, **kwargs):
    """:func:`fused_moving_avg_obs_fake_quant` and which numbers lay within the range."""
    input = args[0] if args else kwargs["input"]
    out = fused_moving_avg_obs_fake_quant(*args, **kwargs)
    names = ("fake_quant_on", 2), ("scale", 5), ("zero_point", 6), ("quant_min", 8), ("quant_max", 9), ("ch_axis", 10)
    is_on, scale, zero_point, low, high, axis = (args[i] if i < len(args) else kwargs[name] for name, i in names)
    per_row = args[11] if len(args) > 11 else kwargs.get("per_row_fake_quant", False)
    if not is_on.item():
        return out, torch.ones_like(input, dtype=torch.bool)
    shape = [1] * input.dim()
    if per_row:
        shape[axis] = -1
    integers = torch.round(input.detach() / scale.reshape(shape)) + zero_point.reshape(shape)
    return out, (integers >= low) & (integers <= high)


def _empty_affine_quantized(size, *, dtype, scale=1.0, zero_point=0, device=None, layout=None, pin_memory=None, memory_format=None):
    """Quantized numbers with one scale and zero point, whose integers are zero."""
    plain = torch.zeros(size, dtype=torch.float32)
    integers = torch.quantize_per_tensor(plain, 1.0, 0, dtype).int_repr()
    return torch._make_per_tensor_quantized_tensor(integers, float(scale), int(zero_point))


def _empty_per_channel_affine_quantized(
    size, *, scales, zero_points, axis, dtype, device=None, layout=None, pin_memory=None, memory_format=None
):
    """Quantized numbers with a scale and zero point for every channel, whose integers are zero."""
    plain = torch.zeros(size, dtype=torch.float32)
    integers = torch.quantize_per_tensor(plain, 1.0, 0, dtype).int_repr()
    return torch._make_per_channel_quantized_tensor(integers, scales, zero_points, axis)


def _check_quantized(operator, tensor):
    if not tensor.is_quantized:
        raise NotImplementedError(
            f"Could not run 'aten::{operator}' with arguments from the 'CPU' backend. This could be because the operator doesn't exist "
            "for this backend, or was omitted during the selective/custom build process (if using custom build)."
        )


def empty_quantized(size, qtensor, *, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None):
    """Quantized numbers of a size, with scale and zero point of another tensor, whose integers are zero."""
    if isinstance(size, int):
        raise TypeError("empty_quantized(): argument 'size' (position 1) must be tuple of ints, not int")
    _check_quantized("empty_quantized", qtensor)
    dtype = qtensor.dtype if dtype is None else dtype
    if qtensor.qscheme() in (torch.per_tensor_affine, torch.per_tensor_symmetric):
        return _empty_affine_quantized(size, dtype=dtype, scale=qtensor.q_scale(), zero_point=qtensor.q_zero_point())
    return _empty_per_channel_affine_quantized(
        size, scales=qtensor.q_per_channel_scales(), zero_points=qtensor.q_per_channel_zero_points(),
        axis=qtensor.q_per_channel_axis(), dtype=dtype,
    )  # fmt: skip


def _pool(count):
    name = f"quantized_max_pool{count}d"

    def pool(self, kernel_size, stride=(), padding=0, dilation=1, ceil_mode=False):
        _check_quantized(name, self)
        if count == 1 and self.dim() not in (2, 3):
            raise RuntimeError(f"max_pool1d() Expected 2D or 3D input tensor, but got {list(self.shape)}")
        known = getattr(torch.nn.functional, f"max_pool{count}d")
        if count < 3:
            return known(self, kernel_size, stride or None, padding, dilation, ceil_mode)
        # No kernel for quantized numbers is there: those of a window that are largest stay so as plain ones.
        numbers = known(self.dequantize(), kernel_size, stride or None, padding, dilation, ceil_mode)
        return torch.quantize_per_tensor(numbers, self.q_scale(), self.q_zero_point(), self.dtype)

    pool.__name__ = pool.__qualname__ = name
    pool.__doc__ = f"The largest quantized numbers of windows of {count} dimension{'s' if count > 1 else ''}."
    return pool


quantized_max_pool1d, quantized_max_pool2d, quantized_max_pool3d = map(_pool, (1, 2, 3))


def quantized_batch_norm(input, weight, bias, mean, var, eps, output_scale, output_zero_point):
    """Quantized numbers less the means of their channels, divided by the deviations."""
    _check_quantized("quantized_batch_norm", input)
    shape = [1, -1] + [1] * (input.dim() - 2)
    factor = torch.rsqrt(var + eps) if weight is None else weight * torch.rsqrt(var + eps)
    shift = -mean * factor if bias is None else bias - mean * factor
    numbers = input.dequantize() * factor.reshape(shape) + shift.reshape(shape)
    return torch.quantize_per_tensor(numbers, output_scale, output_zero_point, input.dtype)
