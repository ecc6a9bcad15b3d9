"""Rows of a table by index: ``embedding``, and their sums, means or maxima over bags."""

import warnings
from typing import Optional

import rushlight as torch

from ..._library import publish
from ..._rushlight import Tensor


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: Optional[int] = None,
    max_norm: Optional[float] = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """Rows of ``weight``; with ``max_norm`` the rows used are first scaled down in place."""
    if max_norm is not None:
        input = input.contiguous()
    row = -1 if padding_idx is None else _padding_row(padding_idx, weight.size(0))
    if not torch.jit.is_scripting():
        _shorten(weight, input, max_norm, norm_type)
        if sparse and _gets_sparse_gradient(weight):
            return _with_sparse_gradient("embedding", weight, input, row, scale_grad_by_freq)
    return torch.embedding(weight, input, row, scale_grad_by_freq, sparse)


def _padding_row(index: Optional[int], rows: int) -> int:
    """The row of padding counted from the front, -1 for none."""
    if index is None:
        return -1
    if index != 0 and not -rows <= index < rows:
        raise AssertionError("Padding_idx must be within num_embeddings")
    return index if index >= 0 else index + rows


def _gets_sparse_gradient(weight):
    from ..._sparse import _embedding

    return _embedding.is_wanted(weight)


def _with_sparse_gradient(name, *args):
    from ..._sparse import _embedding

    return getattr(_embedding, name)(*args)


def _shorten(weight, input, max_norm, norm_type):
    """Scales the rows in use down to ``max_norm`` in place, where there is one."""
    if max_norm is not None:
        with torch.no_grad():
            torch.embedding_renorm_(weight.detach(), input, max_norm, norm_type)


def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Optional[Tensor] = None,
    max_norm: Optional[float] = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Optional[Tensor] = None,
    include_last_offset: bool = False,
    padding_idx: Optional[int] = None,
) -> Tensor:
    """Sums, means or maxima of rows over bags of indices."""
    if weight.dtype == torch.long and input.is_floating_point():
        warnings.warn(
            "Argument order of nn.functional.embedding_bag was changed. "
            "Usage `embedding_bag(weight, input, ...)` is deprecated, "
            "and should now be `embedding_bag(input, weight, ...)`."
        )
        weight, input = input, weight
    if per_sample_weights is not None and input.size() != per_sample_weights.size():
        raise ValueError(
            f"embedding_bag: If per_sample_weights ({per_sample_weights.size()}) is not None, "
            f"then it must have the same shape as the input ({input.size()})"
        )
    if weight.dim() != 2:
        raise ValueError(f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.dim()}")
    if input.dim() == 2:
        # Bags of one size, one after the other.
        if offsets is not None:
            kind = "<unknown>"
            if not torch.jit.is_scripting():
                kind = str(type(offsets))
            raise ValueError(
                "if input is 2D, then offsets has to be None"
                ", as input is treated is a mini-batch of fixed length sequences. However, found "
                f"offsets of type {kind}"
            )
        offsets = torch.arange(0, input.numel(), input.size(1), dtype=input.dtype, device=input.device)
        input = input.reshape(-1)
        per_sample_weights = per_sample_weights.reshape(-1) if per_sample_weights is not None else None
        include_last_offset = False
    elif input.dim() == 1:
        if offsets is None:
            raise ValueError("offsets has to be a 1D Tensor but got None")
        if offsets.dim() != 1:
            raise ValueError("offsets has to be a 1D Tensor")
    else:
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.dim()}")
    number = _number_of_mode(mode, scale_grad_by_freq, sparse)
    if not torch.jit.is_scripting():
        _shorten(weight, input, max_norm, norm_type)
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(
            "embedding_bag: per_sample_weights was not None. "
            "per_sample_weights is only supported for mode='sum' "
            f"(got mode='{mode}'). Please open a feature request on GitHub."
        )
    if not torch.jit.is_scripting():
        if sparse and _gets_sparse_gradient(weight):
            row = _padding_row(padding_idx, weight.size(0))
            return _with_sparse_gradient(
                "embedding_bag", weight, input, offsets, scale_grad_by_freq, number, per_sample_weights, include_last_offset, row,
            )
    bags, _, _, _ = torch.embedding_bag(
        weight,
        input,
        offsets,
        scale_grad_by_freq,
        number,
        sparse,
        per_sample_weights,
        include_last_offset,
        padding_idx,
    )
    return bags


def _number_of_mode(mode: str, scale_grad_by_freq: bool, sparse: bool) -> int:
    """The mode as the operator takes it; maxima do without some options."""
    numbers = {"sum": 0, "mean": 1, "max": 2}
    if mode not in numbers:
        raise ValueError("mode has to be one of sum, mean or max")
    if mode == "max" and scale_grad_by_freq:
        raise ValueError("max mode does not support scaling the gradient by the frequency")
    if mode == "max" and sparse:
        raise ValueError("max mode does not support sparse weights")
    return numbers[mode]


publish(globals(), "torch.nn.functional")
