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
) -> bool:
    """Whether inputs are batches; refuses those, and masks, whose numbers of dimensions do not go with the query's."""
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
        return rank == 3
    if mask.dim() not in (2, 3):
        raise AssertionError(
            f"For {kind} `query`, expected `attn_mask` to be `None`, 2-D or 3-D but found {mask.dim()}-D tensor instead"
        )
    needed = (num_heads, query.size(0), key.size(0))
    if rank == 2 and mask.dim() == 3 and mask.shape != needed:
        raise AssertionError(f"Expected `attn_mask` shape to be {needed} but got {mask.shape}")
    return rank == 3


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


# Traces name values as the variables here are called.


def _project_stacked(
    query: Tensor, key: Tensor, value: Tensor, weight: Tensor, bias: Optional[Tensor]
) -> Tuple[Tensor, Tensor, Tensor]:
    """Query, key and value by one weight that holds the three matrices.

    Inputs that are the same tensor are multiplied at once: all three, or key and value.
    """
    if key is not value:
        return _project_apart(query, key, value, weight, bias)
    if query is key:
        parts = (3, query.size(-1))
        proj = F.linear(query, weight, bias).unflatten(-1, parts).unsqueeze(0).transpose(0, -2).squeeze(-2).contiguous()
        return proj[0], proj[1], proj[2]
    E = query.size(-1)
    w_q, w_kv = weight.split([E, E * 2])
    b_q: Optional[Tensor] = None
    b_kv: Optional[Tensor] = None
    if bias is not None:
        b_q, b_kv = bias.split([E, E * 2])
    q = F.linear(query, w_q, b_q)
    kv_proj = F.linear(key, w_kv, b_kv).unflatten(-1, (2, E)).unsqueeze(0).transpose(0, -2).squeeze(-2).contiguous()
    return q, kv_proj[0], kv_proj[1]


def _project_apart(
    query: Tensor, key: Tensor, value: Tensor, weight: Tensor, bias: Optional[Tensor]
) -> Tuple[Tensor, Tensor, Tensor]:
    """Three inputs by the three matrices of one weight."""
    w_q, w_k, w_v = weight.chunk(3)
    if bias is None:
        return F.linear(query, w_q), F.linear(key, w_k), F.linear(value, w_v)
    b_q, b_k, b_v = bias.chunk(3)
    return F.linear(query, w_q, b_q), F.linear(key, w_k, b_k), F.linear(value, w_v, b_v)


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
        b_q, b_k, b_v = bias.chunk(3)
        for i, shift in enumerate([b_q, b_k, b_v]):
            if shift.shape != (width,):
                raise AssertionError(f"expecting {names[i]} bias shape of {(width,)}, but got {shift.shape}")
            shifts[i] = shift
    projected: List[Tensor] = []
    for x, weight, shift in zip(inputs, weights, shifts):
        if weight is not None:
            projected.append(F.linear(x, weight, shift))
    return projected


def _mask_of_heads(attn_mask: Tensor, heads: int, tgt_len: int, source: int) -> Tensor:
    """A mask of positions with a first dimension for heads, checked; 1 stands for all of them."""
    if attn_mask.dim() == 2:
        one = (tgt_len, source)
        if attn_mask.shape != one:
            raise RuntimeError(f"The shape of the 2D attn_mask is {attn_mask.shape}, but should be {one}.")
        return attn_mask.unsqueeze(0)
    if attn_mask.dim() == 3:
        each = (heads, tgt_len, source)
        if attn_mask.shape != each:
            raise RuntimeError(f"The shape of the 3D attn_mask is {attn_mask.shape}, but should be {each}.")
        return attn_mask
    raise RuntimeError(f"attn_mask's dimension {attn_mask.dim()} is not supported")


def _check_learned(
    bias_k: Optional[Tensor], bias_v: Optional[Tensor], static_k: Optional[Tensor], static_v: Optional[Tensor]
) -> None:
    """Refuses learned positions of key or value that stand alone, or go with what has heads already."""
    if bias_k is None and bias_v is None:
        return
    if bias_k is None:
        raise AssertionError("bias_v is set but bias_k is None")
    if bias_v is None:
        raise AssertionError("bias_k is set but bias_v is None")
    if static_k is not None:
        raise AssertionError("bias cannot be added to static key.")
    if static_v is not None:
        raise AssertionError("bias cannot be added to static value.")


def _check_static(static: Tensor, name: str, heads: int, width: int) -> Tensor:
    """What the caller has given with heads already."""
    if static.size(0) != heads:
        raise AssertionError(f"expecting {name}.size(0) of {heads}, but got {static.size(0)}")
    if static.size(2) != width:
        raise AssertionError(f"expecting {name}.size(2) of {width}, but got {static.size(2)}")
    return static


def _padded_more(key_padding_mask: Tensor, bsz: int, src_len: int, more: int) -> Tensor:
    """A mask over padding, checked; the keys that were added are seen by all."""
    if key_padding_mask.size(0) != bsz:
        raise AssertionError(f"Expected key_padded_mask.shape[0] to be {bsz}, but got {key_padding_mask.size(0)}")
    if key_padding_mask.size(1) + more != src_len:
        raise AssertionError(f"Expected key_padded_mask.shape[1] to be {src_len}, but got {key_padding_mask.size(1)}")
    return pad(key_padding_mask, [0, more]) if more > 0 else key_padding_mask


def _attend_with_weights(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    key_padding_mask: Optional[Tensor],
    attn_mask: Optional[Tensor],
    dropout_p: float,
) -> Tuple[Tensor, Tensor]:
    """What each head sees, and with which weights."""
    q_scaled = q * math.sqrt(1.0 / float(q.size(-1)))
    if attn_mask is None:
        attn_output_weights = torch.bmm(q_scaled, k.transpose(-2, -1))
    else:
        attn_output_weights = torch.baddbmm(attn_mask, q_scaled, k.transpose(-2, -1))
    attn_output_weights = F.softmax(attn_output_weights, dim=-1)
    if dropout_p > 0.0:
        attn_output_weights = F.dropout(attn_output_weights, p=dropout_p)
    attn_output = torch.bmm(attn_output_weights, v)
    return attn_output, attn_output_weights


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
    tgt_len, bsz, embed_dim = query.shape
    # Sizes are tensors in traces.
    if isinstance(embed_dim, Tensor):
        head_dim = embed_dim.div(num_heads, rounding_mode="trunc")
    else:
        head_dim = embed_dim // num_heads
    if use_separate_proj_weight:
        weights = torch.jit.annotate(List[Optional[Tensor]], [q_proj_weight, k_proj_weight, v_proj_weight])
        projected = _project_each([query, key, value], weights, in_proj_bias)
        q, k, v = projected[0], projected[1], projected[2]
    elif in_proj_weight is not None:
        q, k, v = _project_stacked(query, key, value, in_proj_weight, in_proj_bias)
    else:
        raise AssertionError("use_separate_proj_weight is False but in_proj_weight is None")
    if attn_mask is not None:
        attn_mask = _mask_of_heads(attn_mask, bsz * num_heads, tgt_len, key.size(0))

    _check_learned(bias_k, bias_v, static_k, static_v)
    if bias_k is not None and bias_v is not None:
        k, v = torch.cat([k, bias_k.repeat(1, bsz, 1)]), torch.cat([v, bias_v.repeat(1, bsz, 1)])
    q = q.view(tgt_len, bsz * num_heads, head_dim).transpose(0, 1)
    if static_k is None:
        k = k.view(k.size(0), bsz * num_heads, head_dim).transpose(0, 1)
    else:
        k = _check_static(static_k, "static_k", bsz * num_heads, head_dim)
    if static_v is None:
        v = v.view(v.size(0), bsz * num_heads, head_dim).transpose(0, 1)
    else:
        v = _check_static(static_v, "static_v", bsz * num_heads, head_dim)
    if add_zero_attn:
        nothing = (bsz * num_heads, 1, head_dim)
        k = torch.cat([k, torch.zeros(nothing, dtype=k.dtype, device=k.device)], dim=1)
        v = torch.cat([v, torch.zeros(nothing, dtype=v.dtype, device=v.device)], dim=1)
    src_len = k.size(1)
    more = int(bias_k is not None) + int(add_zero_attn)
    if attn_mask is not None and more > 0:
        attn_mask = pad(attn_mask, [0, more])
    if key_padding_mask is not None:
        key_padding_mask = _padded_more(key_padding_mask, bsz, src_len, more)
        key_padding_mask = (
            key_padding_mask.view(bsz, 1, 1, src_len)
            .expand(-1, num_heads, -1, -1)
            .reshape(bsz * num_heads, 1, src_len)
        )
        attn_mask = key_padding_mask if attn_mask is None else attn_mask + key_padding_mask

    dropout_p = dropout_p if training else 0.0
    shown: Optional[Tensor] = None
    if need_weights:
        attn_output, shown = _attend_with_weights(q, k, v, key_padding_mask, attn_mask, dropout_p)
        attn_output = attn_output.transpose(0, 1).reshape(tgt_len * bsz, embed_dim)
    else:
        if attn_mask is not None:
            if attn_mask.size(0) == 1:
                attn_mask = attn_mask.unsqueeze(0)
            else:
                attn_mask = attn_mask.view(bsz, num_heads, -1, src_len)
        q = q.view(bsz, num_heads, tgt_len, head_dim)
        k = k.view(bsz, num_heads, src_len, head_dim)
        v = v.view(bsz, num_heads, src_len, head_dim)
        attn_output = F.scaled_dot_product_attention(q, k, v, attn_mask, dropout_p, is_causal)
        attn_output = attn_output.permute(2, 0, 1, 3).reshape(bsz * tgt_len, embed_dim)
    attn_output = F.linear(attn_output, out_proj_weight, out_proj_bias)
    attn_output = attn_output.view(tgt_len, bsz, attn_output.size(1))
    if shown is not None:
        attn_output_weights = shown.view(bsz, num_heads, tgt_len, src_len)
        if average_attn_weights:
            attn_output_weights = attn_output_weights.mean(dim=1)
        if is_single:
            attn_output, attn_output_weights = attn_output.squeeze(1), attn_output_weights.squeeze(0)
        return attn_output, attn_output_weights
    return attn_output.squeeze(1) if is_single else attn_output, None


publish(globals(), "torch.nn.functional")
