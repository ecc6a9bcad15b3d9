"""Masks of attention: which positions may not be seen, as numbers to add to scores."""

import warnings
from typing import Optional, Tuple

import rushlight as torch

from ..._library import publish
from ..._rushlight import Tensor, device as Device, dtype as DType


def _additive(mask: Optional[Tensor], name: str, dtype: DType) -> Optional[Tensor]:
    """A mask as numbers to add: minus infinity where a boolean one is True. Numbers stay as they are."""
    if mask is None or mask.is_floating_point():
        return mask
    if mask.dtype != torch.bool:
        raise AssertionError(f"only bool and floating types of {name} are supported")
    return torch.zeros_like(mask, dtype=dtype).masked_fill_(mask, float("-inf"))


def prepared_masks(
    padding: Optional[Tensor], padding_name: str, mask: Optional[Tensor], mask_name: str, dtype: DType
) -> Tuple[Optional[Tensor], Optional[Tensor]]:
    """The mask of padded keys and the mask of positions, both as numbers to add.

    Messages call them by the names that the caller knows them under.
    """
    added_padding = _additive(padding, padding_name, dtype)
    if padding is not None and mask is not None and padding.dtype != mask.dtype:
        warnings.warn(
            f"Support for mismatched {padding_name} and {mask_name} is deprecated. Use same type for both instead."
        )
    return added_padding, _additive(mask, mask_name, dtype)


def look_ahead_mask(size: int, device: Optional[Device] = None, dtype: Optional[DType] = None) -> Tensor:
    """Minus infinity where a position would see a later one."""
    return torch.triu(torch.full((size, size), float("-inf"), dtype=dtype, device=device), diagonal=1)


publish(globals(), "torch.nn.functional")
