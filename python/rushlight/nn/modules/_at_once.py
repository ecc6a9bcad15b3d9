"""Attentions and encoder layers as one operator: in evaluation, where nothing is recorded for gradients."""

import rushlight as torch

from ..._rushlight import Tensor, is_grad_enabled
from ..parameter import Parameter


def _of_attention(attention):
    return attention.in_proj_weight, attention.in_proj_bias, attention.out_proj.weight, attention.out_proj.bias


def _parameters(layer):
    return (
        *_of_attention(layer.self_attn), layer.norm1.weight, layer.norm1.bias, layer.norm2.weight, layer.norm2.bias, layer.linear1.weight,
        layer.linear1.bias, layer.linear2.weight, layer.linear2.bias,
    )  # fmt: skip


def _is_whole(attention):
    """Whether the operators know an attention: one projection of all inputs, with a bias, for an even number of heads."""
    return (
        attention.batch_first
        and attention.in_proj_bias is not None
        and attention._qkv_same_embed_dim
        and attention.num_heads % 2 == 0
    )


def _is_fit(layer):
    """Whether the operator computes what the layer does."""
    return _is_whole(layer.self_attn) and layer.activation_relu_or_gelu and layer.norm1.eps == layer.norm2.eps


def _is_evaluated(module, given):
    """Whether a module is in evaluation and its first input is a plain batch of sequences."""
    return not module.training and given.dim() == 3 and type(given) is Tensor and torch.backends.mha.get_fastpath_enabled()


def _are_plain(given, parameters):
    """Whether the parameters are plain tensors, and nothing is recorded for gradients."""
    if any(type(each) not in (Tensor, Parameter) for each in parameters):
        return False
    return not (is_grad_enabled() and any(each.requires_grad for each in (given, *parameters)))


def _is_hooked(layer):
    return any(module._forward_hooks or module._forward_pre_hooks for module in layer.modules())


def may_run_at_once(layer, src):
    """Whether a layer runs as one operator on an input."""
    if not _is_evaluated(layer, src) or not _is_fit(layer) or _is_hooked(layer):
        return False
    return _are_plain(src, _parameters(layer))


def run_at_once(layer, src, src_mask, src_key_padding_mask):
    """The result of a layer as one operator."""
    attention = layer.self_attn
    merged_mask, mask_type = attention.merge_masks(src_mask, src_key_padding_mask, src)
    weights = _parameters(layer)
    if torch.is_autocast_enabled("cpu"):
        src, *weights = (each.to(torch.get_autocast_dtype("cpu")) for each in (src, *weights))
    return torch._transformer_encoder_layer_fwd(
        src, attention.embed_dim, attention.num_heads, *weights[:4], layer.activation_relu_or_gelu == 2, layer.norm_first,
        layer.norm1.eps, *weights[4:], merged_mask, mask_type,
    )  # fmt: skip


def attention_may_run_at_once(attention, inputs, masks):
    """Whether an attention runs as one operator: of a sequence to itself, with masks of truth values."""
    query, key, value = inputs
    if not (query is key and key is value) or not _is_evaluated(attention, query) or not _is_whole(attention):
        return False
    if attention.bias_k is not None or attention.bias_v is not None or attention.add_zero_attn or torch.is_autocast_enabled("cpu"):
        return False
    if any(mask is not None and mask.is_floating_point() for mask in masks):
        return False
    parameters = _of_attention(attention)
    return query.dtype == parameters[0].dtype and _are_plain(query, parameters)


def attention_at_once(attention, query, key_padding_mask, need_weights, attn_mask, average_attn_weights):
    """The results of an attention as one operator."""
    merged_mask, mask_type = attention.merge_masks(attn_mask, key_padding_mask, query)
    return torch._native_multi_head_attention(
        query, query, query, attention.embed_dim, attention.num_heads, *_of_attention(attention), merged_mask, need_weights,
        average_attn_weights, mask_type,
    )  # fmt: skip
