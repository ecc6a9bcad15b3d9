"""Scale and zero point of a range of numbers."""

import rushlight as torch

from ..._library import publish

_SYMMETRIC = (torch.per_tensor_symmetric, torch.per_channel_symmetric)


def scale_and_zero_point(min_val, max_val, quant_min, quant_max, dtype, eps, has_customized_qrange, qscheme):
    """See :func:`torch.ao.quantization.utils.determine_qparams`; the range has been seen."""
    # The range has zero in it, so that zero has an integer of its own.
    below = torch.min(min_val, torch.zeros_like(min_val))
    above = torch.max(max_val, torch.zeros_like(max_val))
    zero_point = torch.zeros(below.size(), dtype=torch.int64)
    if qscheme in _SYMMETRIC:
        reach = torch.max(-below, above)
        scale = torch.max(reach / (float(quant_max - quant_min) / 2), eps)
        middle = _middle(dtype, quant_min, quant_max, has_customized_qrange)
        if middle is not None:
            zero_point = zero_point.new_full(zero_point.size(), middle)
    elif qscheme == torch.per_channel_affine_float_qparams:
        # Zero points are numbers here, and the range is the one that was seen.
        scale = (max_val - min_val) / float(quant_max - quant_min)
        scale = torch.where(scale > eps, scale, torch.ones_like(scale))
        zero_point = -1 * min_val / scale
    else:
        scale = torch.max((above - below) / float(quant_max - quant_min), eps)
        zero_point = torch.clamp(quant_min - torch.round(below / scale).to(torch.int), quant_min, quant_max)
    if scale.dim() == 0:
        scale = torch.tensor([float(scale)], dtype=scale.dtype)
    if zero_point.dim() == 0:
        is_float = qscheme == torch.per_channel_affine_float_qparams
        zero_point = torch.tensor([float(zero_point) if is_float else int(zero_point)], dtype=zero_point.dtype)
    return scale, zero_point


def _middle(dtype, quant_min, quant_max, has_customized_qrange):
    """The integer of zero in a symmetric scheme of numbers without a sign; None for those with one."""
    if dtype in (torch.quint8, torch.uint8):
        return (quant_min + quant_max) // 2 if has_customized_qrange else 128
    return 2**15 if dtype is torch.uint16 else None


publish(globals())
