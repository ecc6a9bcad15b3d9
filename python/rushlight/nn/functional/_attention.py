"""Multi-head attention, a function for each step: checks, projections, more keys, heads, the attention itself."""

import math
from typing import List, Optional, Tuple

import rushlight as torch

from ..._library import publish
from ..._rushlight import Tensor

# Called by the names that programs may put other functions under.
from .. import functional as F
from ._masks import prepared_masks
from ._resize import pad


def _check_ranks(
    query: Tensor, key: Tensor, value: Tensor, padding: Optional[Tensor], mask: Optional[Tensor], num_heads: int
) -> None:
    """Refuses inputs and masks whose numbers of dimensions do not go with the query's."""
    rank = query.dim()
    if rank not in (2, 3):
        raise AssertionError(f"query should be unbatched 2D or batched 3D tensor but received {rank}-D query tensor")
    kind = "batched (3-D)" if rank == 3 else "unbatched (2-D)"
    if key.dim() != rank or value.dim() != rank:
        raise AssertionError(
            f"For {kind} `query`, expected `key` and `value` to be {rank}-D"
            f" but found {key.dim()}-D and {value.dim()}-D tensors respectively"
        )
    if padding is not None and padding.dim() != rank - 1:
        raise AssertionError(
            f"For {kind} `query`, expected `key_padding_mask` to be `None` or {rank - 1}-D"
            f" but found {padding.dim()}-D tensor instead"
        )
    if mask is None:
        return
    if mask.dim() not in (2, 3):
        raise AssertionError(
            f"For {kind} `query`, expected `attn_mask` to be `None`, 2-D or 3-D but found {mask.dim()}-D tensor instead"
        )
    needed = (num_heads, query.size(0), key.size(0))
    if rank == 2 and mask.dim() == 3 and mask.shape != needed:
        raise AssertionError(f"Expected `attn_mask` shape to be {needed} but got {mask.shape}")


def _check_sizes(query: Tensor, key: Tensor, value: Tensor, embed_dim: int, num_heads: int, separate: bool) -> None:
    """Refuses sizes that the projections or the heads cannot work with."""
    width = query.size(-1)
    if width != embed_dim:
        raise AssertionError(f"was expecting embedding dimension of {embed_dim}, but got {width}")
    if width % num_heads != 0:
        raise AssertionError(f"embed_dim {width} not divisible by num_heads {num_heads}")
    if separate:
        if key.shape[:2] != value.shape[:2]:
            raise AssertionError(
                f"key's sequence and batch dims {key.shape[:2]} do not match value's {value.shape[:2]}"
            )
    elif key.shape != value.shape:
        raise AssertionError(f"key shape {key.shape} does not match value shape {value.shape}")


def _project_stacked(inputs: List[Tensor], weight: Tensor, bias: Optional[Tensor]) -> List[Tensor]:
    """Query, key and value by one weight that holds the three matrices.

    Inputs that are the same tensor are multiplied at once: all three, or key and value.
    """
    query, key, value = inputs[0], inputs[1], inputs[2]
    if key is not value:
        runs = [1, 1, 1]
    elif query is key:
        runs = [3]
    else:
        runs = [1, 2]
    width = query.size(-1)
    projected: List[Tensor] = []
    for count in runs:
        first = len(projected)
        start, stop = first * width, (first + count) * width
        shift = bias[start:stop] if bias is not None else None
        together = F.linear(inputs[first], weight[start:stop], shift)
        projected.extend([part.contiguous() for part in together.chunk(count, -1)])
    return projected


def _project_each(
    inputs: List[Tensor], weights: List[Optional[Tensor]], bias: Optional[Tensor]
) -> List[Tensor]:
    """Query, key and value by a matrix each; the bias holds that of all three."""
    names = ["query", "key", "value"]
    letters = ["q", "k", "v"]
    width = inputs[0].size(-1)
    for letter, weight in zip(letters, weights):
        if weight is None:
            raise AssertionError(f"use_separate_proj_weight is True but {letter}_proj_weight is None")
    for i in range(3):
        weight = weights[i]
        needed = (width, inputs[i].size(-1))
        if weight is not None and weight.shape != needed:
            raise AssertionError(f"expecting {names[i]} weights shape of {needed}, but got {weight.shape}")
    shifts = torch.jit.annotate(List[Optional[Tensor]], [None, None, None])
    if bias is not None:
        for i, shift in enumerate(bias.chunk(3)):
            if shift.shape != (width,):
                raise AssertionError(f"expecting {names[i]} bias shape of {(width,)}, but got {shift.shape}")
            shifts[i] = shift
    projected: List[Tensor] = []
    for x, weight, shift in zip(inputs, weights, shifts):
        if weight is not None:
            projected.append(F.linear(x, weight, shift))
    return projected


def _mask_of_heads(mask: Tensor, heads: int, target: int, source: int) -> Tensor:
    """A mask of positions with a first dimension for heads, checked; 1 stands for all of them."""
    if mask.dim() == 2:
        one = (target, source)
        if mask.shape != one:
            raise RuntimeError(f"The shape of the 2D attn_mask is {mask.shape}, but should be {one}.")
        return mask.unsqueeze(0)
    if mask.dim() == 3:
        each = (heads, target, source)
        if mask.shape != each:
            raise RuntimeError(f"The shape of the 3D attn_mask is {mask.shape}, but should be {each}.")
        return mask
    raise RuntimeError(f"attn_mask's dimension {mask.dim()} is not supported")


def _append_learned(
    key: Tensor, value: Tensor, bias_k: Optional[Tensor], bias_v: Optional[Tensor], is_static_k: bool, is_static_v: bool
) -> Tuple[Tensor, Tensor]:
    """Key and value with one more position that is learned, the same for all sequences."""
    if bias_k is None and bias_v is None:
        return key, value
    if bias_k is None:
        raise AssertionError("bias_v is set but bias_k is None")
    if bias_v is None:
        raise AssertionError("bias_k is set but bias_v is None")
    if is_static_k:
        raise AssertionError("bias cannot be added to static key.")
    if is_static_v:
        raise AssertionError("bias cannot be added to static value.")
    batch = key.size(1)
    return torch.cat([key, bias_k.repeat(1, batch, 1)]), torch.cat([value, bias_v.repeat(1, batch, 1)])


def _with_heads(x: Tensor, heads: int, width: int) -> Tensor:
    """Heads take the place of the batch, which comes first."""
    return x.view(x.size(0), heads, width).transpose(0, 1)


def _heads_or_static(x: Tensor, static: Optional[Tensor], name: str, heads: int, width: int) -> Tensor:
    """What the caller has given with heads already, checked, or the projected input with heads."""
    if static is None:
        return _with_heads(x, heads, width)
    if static.size(0) != heads:
        raise AssertionError(f"expecting {name}.size(0) of {heads}, but got {static.size(0)}")
    if static.size(2) != width:
        raise AssertionError(f"expecting {name}.size(2) of {width}, but got {static.size(2)}")
    return static


def _joined_masks(
    mask: Optional[Tensor], padding: Optional[Tensor], batch: int, num_heads: int, source: int, more: int
) -> Optional[Tensor]:
    """One mask over positions and padding, or none; the keys that were added are seen by all."""
    if mask is not None and more > 0:
        mask = pad(mask, [0, more])
    if padding is None:
        return mask
    if padding.size(0) != batch:
        raise AssertionError(f"Expected key_padded_mask.shape[0] to be {batch}, but got {padding.size(0)}")
    if padding.size(1) + more != source:
        raise AssertionError(f"Expected key_padded_mask.shape[1] to be {source}, but got {padding.size(1)}")
    if more > 0:
        padding = pad(padding, [0, more])
    padding = padding.view(batch, 1, 1, source).expand(-1, num_heads, -1, -1).flatten(0, 1)
    return padding if mask is None else mask + padding


def _attend_with_weights(
    query: Tensor, key: Tensor, value: Tensor, mask: Optional[Tensor], dropout_p: float
) -> Tuple[Tensor, Tensor]:
    """What each head sees, and with which weights."""
    scaled = query * math.sqrt(1.0 / float(query.size(-1)))
    scores = key.transpose(-2, -1)
    if mask is None:
        scores = torch.bmm(scaled, scores)
    else:
        scores = torch.baddbmm(mask, scaled, scores)
    weights = F.softmax(scores, dim=-1)
    if dropout_p > 0.0:
        weights = F.dropout(weights, p=dropout_p)
    return torch.bmm(weights, value), weights


def _attend(
    query: Tensor, key: Tensor, value: Tensor, mask: Optional[Tensor], dropout_p: float, is_causal: bool, batch: int
) -> Tensor:
    """What each head sees, without the weights."""
    by_batch = (batch, query.size(0) // batch if batch > 0 else 0)
    if mask is not None:
        mask = mask.unsqueeze(0) if mask.size(0) == 1 else mask.unflatten(0, by_batch)
    seen = F.scaled_dot_product_attention(
        query.unflatten(0, by_batch), key.unflatten(0, by_batch), value.unflatten(0, by_batch), mask, dropout_p, is_causal
    )
    return seen.flatten(0, 1)


def multi_head_attention_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Optional[Tensor],
    in_proj_bias: Optional[Tensor],
    bias_k: Optional[Tensor],
    bias_v: Optional[Tensor],
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Tensor,
    out_proj_bias: Optional[Tensor],
    training: bool = True,
    key_padding_mask: Optional[Tensor] = None,
    need_weights: bool = True,
    attn_mask: Optional[Tensor] = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Optional[Tensor] = None,
    k_proj_weight: Optional[Tensor] = None,
    v_proj_weight: Optional[Tensor] = None,
    static_k: Optional[Tensor] = None,
    static_v: Optional[Tensor] = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> Tuple[Tensor, Optional[Tensor]]:
    """Attention of several heads over projected inputs; the weights come with it when they are asked for.

    Inputs are ``(length, batch, width)``, or without the batch. ``is_causal`` says that ``attn_mask`` keeps positions
    from seeing later ones; where nothing else is masked, the hint takes the place of the mask.
    """
    _check_ranks(query, key, value, key_padding_mask, attn_mask, num_heads)
    is_single = query.dim() == 2
    if is_single:
        query, key, value = query.unsqueeze(1), key.unsqueeze(1), value.unsqueeze(1)
        key_padding_mask = key_padding_mask.unsqueeze(0) if key_padding_mask is not None else None

    if is_causal and attn_mask is None:
        raise RuntimeError(
            "Need attn_mask if specifying the is_causal hint. "
            "You may use the Transformer module method "
            "`generate_square_subsequent_mask` to create this mask."
        )
    if key_padding_mask is not None:
        is_causal = False
    elif is_causal and not need_weights:
        attn_mask = None
    key_padding_mask, attn_mask = prepared_masks(
        key_padding_mask, "key_padding_mask", attn_mask, "attn_mask", query.dtype
    )

    _check_sizes(query, key, value, embed_dim_to_check, num_heads, use_separate_proj_weight)
    target, batch, embed_dim = query.shape
    heads, width = batch * num_heads, embed_dim // num_heads
    inputs = [query, key, value]
    if use_separate_proj_weight:
        weights = torch.jit.annotate(List[Optional[Tensor]], [q_proj_weight, k_proj_weight, v_proj_weight])
        projected = _project_each(inputs, weights, in_proj_bias)
    elif in_proj_weight is not None:
        projected = _project_stacked(inputs, in_proj_weight, in_proj_bias)
    else:
        raise AssertionError("use_separate_proj_weight is False but in_proj_weight is None")
    if attn_mask is not None:
        attn_mask = _mask_of_heads(attn_mask, heads, target, key.size(0))

    q, k, v = projected[0], projected[1], projected[2]
    k, v = _append_learned(k, v, bias_k, bias_v, static_k is not None, static_v is not None)
    q = _with_heads(q, heads, width)
    k = _heads_or_static(k, static_k, "static_k", heads, width)
    v = _heads_or_static(v, static_v, "static_v", heads, width)
    if add_zero_attn:
        k, v = pad(k, [0, 0, 0, 1]), pad(v, [0, 0, 0, 1])
    source = k.size(1)
    more = int(bias_k is not None) + int(add_zero_attn)
    mask = _joined_masks(attn_mask, key_padding_mask, batch, num_heads, source, more)

    dropout_p = dropout_p if training else 0.0
    shown: Optional[Tensor] = None
    if need_weights:
        seen, shown = _attend_with_weights(q, k, v, mask, dropout_p)
    else:
        seen = _attend(q, k, v, mask, dropout_p, is_causal, batch)
    output = F.linear(
        seen.transpose(0, 1).reshape(target, batch, embed_dim), out_proj_weight, out_proj_bias
    )
    if shown is not None:
        shown = shown.view(batch, num_heads, target, source)
        shown = shown.mean(dim=1) if average_attn_weights else shown
        shown = shown.squeeze(0) if is_single else shown
    return output.squeeze(1) if is_single else output, shown


publish(globals(), "torch.nn.functional")
