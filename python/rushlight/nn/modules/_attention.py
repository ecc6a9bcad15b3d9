"""``MultiheadAttention``."""

from typing import Optional, Tuple

import rushlight as torch

from ..._library import publish
from ..._rushlight import Tensor
from .. import functional as F
from .. import init
from ..functional._masks import prepared_masks
from ..parameter import Parameter
from ._at_once import attention_at_once, attention_may_run_at_once
from .linear import NonDynamicallyQuantizableLinear
from .module import Module


class MultiheadAttention(Module):
    """Attention of several heads with projections of its inputs and output."""

    __constants__ = ["batch_first"]
    bias_k: Optional[Tensor]
    bias_v: Optional[Tensor]

    def __init__(
        self,
        embed_dim,
        num_heads,
        dropout=0.0,
        bias=True,
        add_bias_kv=False,
        add_zero_attn=False,
        kdim=None,
        vdim=None,
        batch_first=False,
        device=None,
        dtype=None,
    ):
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and num_heads={num_heads} instead"
            )
        factory = {"device": device, "dtype": dtype}
        super().__init__()
        self.embed_dim = embed_dim
        self.kdim = kdim if kdim is not None else embed_dim
        self.vdim = vdim if vdim is not None else embed_dim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        assert self.head_dim * num_heads == self.embed_dim, "embed_dim must be divisible by num_heads"

        stacked = {"in_proj_weight": (3 * embed_dim, embed_dim)}
        separate = {
            "q_proj_weight": (embed_dim, embed_dim),
            "k_proj_weight": (embed_dim, self.kdim),
            "v_proj_weight": (embed_dim, self.vdim),
        }
        used, unused = (stacked, separate) if self._qkv_same_embed_dim else (separate, stacked)
        for name, shape in used.items():
            setattr(self, name, Parameter(torch.empty(shape, **factory)))
        for name in unused:
            self.register_parameter(name, None)
        if bias:
            self.in_proj_bias = Parameter(torch.empty(3 * embed_dim, **factory))
        else:
            self.register_parameter("in_proj_bias", None)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias, **factory)
        if add_bias_kv:
            self.bias_k = Parameter(torch.empty((1, 1, embed_dim), **factory))
            self.bias_v = Parameter(torch.empty((1, 1, embed_dim), **factory))
        else:
            self.bias_k = self.bias_v = None
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _reset_parameters(self):
        for weight in (self.in_proj_weight, self.q_proj_weight, self.k_proj_weight, self.v_proj_weight):
            if weight is not None:
                init.xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            init.zeros_(self.in_proj_bias)
            init.zeros_(self.out_proj.bias)
        for learned in (self.bias_k, self.bias_v):
            if learned is not None:
                init.xavier_normal_(learned)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Optional[Tensor] = None,
        need_weights: bool = True,
        attn_mask: Optional[Tensor] = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> Tuple[Tensor, Optional[Tensor]]:
        """The layer's result."""
        if not torch.jit.is_scripting():
            at_once = attention_may_run_at_once(self, (query, key, value), (attn_mask, key_padding_mask))
        key_padding_mask, attn_mask = prepared_masks(
            key_padding_mask, "key_padding_mask", attn_mask, "attn_mask", query.dtype
        )
        if not torch.jit.is_scripting():
            if at_once:
                return attention_at_once(self, query, key_padding_mask, need_weights, attn_mask, average_attn_weights)
        is_turned = self.batch_first and query.dim() == 3
        if is_turned:
            query, key, value = _sequence_first(query, key, value)
        attn_output, attn_output_weights = F.multi_head_attention_forward(
            query,
            key,
            value,
            self.embed_dim,
            self.num_heads,
            self.in_proj_weight,
            self.in_proj_bias,
            self.bias_k,
            self.bias_v,
            self.add_zero_attn,
            self.dropout,
            self.out_proj.weight,
            self.out_proj.bias,
            training=self.training,
            key_padding_mask=key_padding_mask,
            need_weights=need_weights,
            attn_mask=attn_mask,
            use_separate_proj_weight=not self._qkv_same_embed_dim,
            q_proj_weight=self.q_proj_weight,
            k_proj_weight=self.k_proj_weight,
            v_proj_weight=self.v_proj_weight,
            average_attn_weights=average_attn_weights,
            is_causal=is_causal,
        )
        return attn_output.transpose(1, 0) if is_turned else attn_output, attn_output_weights

    def merge_masks(
        self, attn_mask: Optional[Tensor], key_padding_mask: Optional[Tensor], query: Tensor
    ) -> Tuple[Optional[Tensor], Optional[int]]:
        """Both masks as one, and its kind: 1 for padding alone, 2 for one per position."""
        if attn_mask is None:
            return key_padding_mask, None if key_padding_mask is None else 1
        batch_size, seq_len = query.size(0), query.size(1)
        if attn_mask.dim() == 3:
            merged_mask = attn_mask.view(batch_size, -1, seq_len, seq_len)
        else:
            merged_mask = attn_mask.view(1, 1, seq_len, seq_len).expand(batch_size, self.num_heads, -1, -1)
        if key_padding_mask is not None:
            key_padding_mask_expanded = key_padding_mask.view(batch_size, 1, 1, seq_len).expand(-1, self.num_heads, -1, -1)
            merged_mask = merged_mask + key_padding_mask_expanded
        return merged_mask, 2


def _sequence_first(query: Tensor, key: Tensor, value: Tensor) -> Tuple[Tensor, Tensor, Tensor]:
    """Inputs with the batch in the second place. What is one tensor stays one: it is projected at once."""
    # Traces name what is turned as it is called here.
    if key is not value:
        query, key, value = [x.transpose(1, 0) for x in [query, key, value]]
        return query, key, value
    if query is key:
        query = query.transpose(1, 0)
        return query, query, query
    query, key = [x.transpose(1, 0) for x in [query, key]]
    return query, key, key


publish(globals(), "torch.nn.modules.activation")
