"""Encoder layers as one operator: in evaluation, where nothing is recorded for gradients."""

import rushlight as torch

from ..._rushlight import Tensor, is_grad_enabled
from ..parameter import Parameter


def _parameters(layer):
    attention = layer.self_attn
    return (
        attention.in_proj_weight, attention.in_proj_bias, attention.out_proj.weight, attention.out_proj.bias, layer.norm1.weight,
        layer.norm1.bias, layer.norm2.weight, layer.norm2.bias, layer.linear1.weight, layer.linear1.bias, layer.linear2.weight,
        layer.linear2.bias,
    )  # fmt: skip


def _is_fit(layer):
    """Whether the operator computes what the layer does."""
    attention = layer.self_attn
    return (
        attention.batch_first
        and attention.in_proj_bias is not None
        and attention._qkv_same_embed_dim
        and attention.num_heads % 2 == 0
        and layer.activation_relu_or_gelu
        and layer.norm1.eps == layer.norm2.eps
    )


def _is_hooked(layer):
    return any(module._forward_hooks or module._forward_pre_hooks for module in layer.modules())


def may_run_at_once(layer, src):
    """Whether a layer runs as one operator on an input."""
    if layer.training or src.dim() != 3 or type(src) is not Tensor or not torch.backends.mha.get_fastpath_enabled():
        return False
    if not _is_fit(layer) or _is_hooked(layer):
        return False
    parameters = _parameters(layer)
    if any(type(each) not in (Tensor, Parameter) for each in parameters):
        return False
    return not (is_grad_enabled() and any(each.requires_grad for each in (src, *parameters)))


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
