"""Functions that the reference keeps for itself and programs import all the same, over those that do the work here."""

from typing import Optional

import rushlight as torch

from ..._rushlight import Tensor
from .. import functional as F
from ..modules.utils import _list_with_default, _pair, _single, _triple  # noqa: F401
from ._activation import _get_softmax_dim  # noqa: F401
from ._attention import _check_ranks as _mha_shape_check, _project_stacked  # noqa: F401
from ._masks import prepared_masks
from ._norm import _refuse_single_places as _verify_spatial_size, _refuse_single_values as _verify_batch_size  # noqa: F401

GRID_SAMPLE_INTERPOLATION_MODES = {"bilinear": 0, "nearest": 1, "bicubic": 2}
GRID_SAMPLE_PADDING_MODES = {"zeros": 0, "border": 1, "reflection": 2}
NAMES = (
    "_in_projection", "_in_projection_packed", "_canonical_mask", "_none_or_dtype", "_mha_shape_check", "_get_softmax_dim",
    "_verify_batch_size", "_verify_spatial_size", "_list_with_default", "_pair", "_single", "_triple", "_no_grad_embedding_renorm_",
    "GRID_SAMPLE_INTERPOLATION_MODES", "GRID_SAMPLE_PADDING_MODES",
)


def _in_projection_packed(q: Tensor, k: Tensor, v: Tensor, w: Tensor, b: Optional[Tensor] = None):
    """Query, key and value by the three parts of a matrix: at once where they are the same tensor."""
    return _project_stacked(q, k, v, w, b)


def _in_projection(q, k, v, w_q, w_k, w_v, b_q=None, b_k=None, b_v=None):
    """Query, key and value by a matrix each."""
    width = q.size(-1)
    inputs = {"query": (q, w_q, b_q), "key": (k, w_k, b_k), "value": (v, w_v, b_v)}
    for name, (x, weight, _) in inputs.items():
        if weight.shape != (width, x.size(-1)):
            raise AssertionError(f"expecting {name} weights shape of {(width, x.size(-1))}, but got {weight.shape}")
    for name, (_, _, bias) in inputs.items():
        if bias is not None and bias.shape != (width,):
            raise AssertionError(f"expecting {name} bias shape of {(width,)}, but got {bias.shape}")
    return tuple(F.linear(*each) for each in inputs.values())


def _none_or_dtype(input):
    """The dtype of a tensor; None for none."""
    if input is None:
        return None
    if isinstance(input, Tensor):
        return input.dtype
    raise RuntimeError("input to _none_or_dtype() must be None or torch.Tensor")


def _canonical_mask(mask, mask_name, other_type, other_name, target_type, check_other=True):
    """A mask as numbers to add."""
    other = None if other_type is None or not check_other else torch.empty(0, dtype=other_type)
    if mask is not None and not mask.is_floating_point() and mask.dtype is not torch.bool:
        raise AssertionError(f"only bool and floating types of {mask_name} are supported")
    if other is not None and other.dtype is not torch.bool and not other.is_floating_point():
        other = None
    return prepared_masks(mask, mask_name, other, other_name, target_type)[0]


def _no_grad_embedding_renorm_(weight, input, max_norm, norm_type):
    """Scales the rows that are looked up down to a norm, in place, without gradients."""
    with torch.no_grad():
        torch.embedding_renorm_(weight, input, max_norm, norm_type)
