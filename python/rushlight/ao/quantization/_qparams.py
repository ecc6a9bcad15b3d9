"""Scale and zero point of a range of numbers."""

from typing import Tuple

import rushlight as torch

from ..._library import publish
from ..._rushlight import Tensor

# Schemes as scripts know them, who have no names for them.
_CODES = {
    torch.per_tensor_affine: 0, torch.per_channel_affine: 1, torch.per_tensor_symmetric: 2, torch.per_channel_symmetric: 3,
    torch.per_channel_affine_float_qparams: 4,
}


@torch.jit.unused
def _code(qscheme: int) -> int:
    return _CODES[qscheme]


def scale_and_zero_point(
    min_val: Tensor,
    max_val: Tensor,
    quant_min: int,
    quant_max: int,
    dtype: torch.dtype,
    eps: Tensor,
    has_customized_qrange: bool,
    qscheme: int,
) -> Tuple[Tensor, Tensor]:
    """See :func:`torch.ao.quantization.utils.determine_qparams`; the range has been seen. Schemes are ints to scripts."""
    # The range has zero in it, so that zero has an integer of its own.
    below = torch.min(min_val, torch.zeros_like(min_val))
    above = torch.max(max_val, torch.zeros_like(max_val))
    zero_point = torch.zeros(below.size(), dtype=torch.int64)
    code = qscheme
    if not torch.jit.is_scripting():
        code = _code(qscheme)
    is_symmetric = code == 2 or code == 3
    is_float = code == 4
    if is_symmetric:
        reach = torch.max(-below, above)
        scale = torch.max(reach / (float(quant_max - quant_min) / 2), eps)
        # Zero lies in the middle of numbers without a sign.
        if dtype == torch.quint8 or dtype == torch.uint8:
            middle = (quant_min + quant_max) // 2 if has_customized_qrange else 128
            zero_point = zero_point.new_full(zero_point.size(), middle)
        elif dtype == torch.uint16:
            zero_point = zero_point.new_full(zero_point.size(), 2**15)
    elif is_float:
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
        if is_float:
            zero_point = torch.tensor([float(zero_point)], dtype=zero_point.dtype)
        else:
            zero_point = torch.tensor([int(zero_point)], dtype=zero_point.dtype)
    return scale, zero_point


publish(globals())
