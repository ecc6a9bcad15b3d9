"""Attention written step by step, so that each step can be observed and quantized."""

from typing import Optional, Tuple

import rushlight as torch

from ....._library import publish
from ....._rushlight import Tensor
from .....nn import functional as F
from .....nn.modules.activation import MultiheadAttention as _PlainAttention
from .....nn.modules.linear import Linear
from ...quantized.modules.functional_modules import FloatFunctional

__all__ = ["MultiheadAttention"]


class MultiheadAttention(_PlainAttention):
    """Attention of several heads written with operations that can be observed. Arguments as :class:`torch.nn.MultiheadAttention`."""

    _FLOAT_MODULE = _PlainAttention
    __constants__ = ["batch_first"]

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: Optional[int] = None,
        vdim: Optional[int] = None,
        batch_first: bool = False,
        device=None,
        dtype=None,
    ) -> None:
        factory = {"device": device, "dtype": dtype}
        super().__init__(embed_dim, num_heads, dropout, bias, add_bias_kv, add_zero_attn, kdim, vdim, batch_first, **factory)
        from ....quantization import DeQuantStub, QuantStub

        self.linear_Q = Linear(self.embed_dim, self.embed_dim, bias=bias, **factory)
        self.linear_K = Linear(self.kdim, self.embed_dim, bias=bias, **factory)
        self.linear_V = Linear(self.vdim, self.embed_dim, bias=bias, **factory)
        self.out_proj = Linear(self.embed_dim, self.embed_dim, bias=bias, **factory)
        self.q_scaling_product = FloatFunctional()
        self.quant_attn_output = QuantStub()
        self.quant_attn_output_weights = QuantStub()
        self.dequant_q = DeQuantStub()
        self.dequant_k = DeQuantStub()
        self.dequant_v = DeQuantStub()

    def _get_name(self) -> str:
        return "QuantizableMultiheadAttention"

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
        if self.batch_first:
            query, key, value = query.transpose(0, 1), key.transpose(0, 1), value.transpose(0, 1)
        length, batch, width = query.size()
        assert width == self.embed_dim, f"embed_dim mismatch: {self.embed_dim} != {width}"
        assert key.size(0) == value.size(0) and key.size(1) == value.size(1), (
            f"key and value size mismatch: key.size()={key.size()}, value.size()={value.size()}"
        )
        assert not (is_causal and attn_mask is not None), "Only allow causal mask or attn_mask"
        if is_causal:
            attn_mask = torch.ones(length, key.size(0), dtype=torch.bool, device=query.device).triu(1)
        q = self.q_scaling_product.mul_scalar(self.linear_Q(query), float(self.head_dim) ** -0.5)
        q = self._heads(self.dequant_q(q), batch)
        k = self._heads(self.dequant_k(self.linear_K(key)), batch)
        v = self._heads(self.dequant_v(self.linear_V(value)), batch)
        k, v, added = self._with_added(k, v, batch)
        scores = self._masked(torch.bmm(q, k.transpose(1, 2)), attn_mask, key_padding_mask, batch, added)
        weights = F.dropout(F.softmax(scores, dim=-1), p=self.dropout, training=self.training)
        seen = torch.bmm(weights, v)
        if self.batch_first:
            # The reference puts the heads one behind another here, not side by side: its numbers are these.
            seen = seen.view(batch, length, self.embed_dim)
        else:
            seen = seen.transpose(0, 1).contiguous().view(length, batch, self.embed_dim)
        output = self.out_proj(self.quant_attn_output(seen))
        weights = self.quant_attn_output_weights(weights)
        if not need_weights:
            return output, None
        weights = weights.view(batch, self.num_heads, length, k.size(1))
        return output, weights.mean(dim=1) if average_attn_weights else weights

    def _heads(self, x: Tensor, batch: int) -> Tensor:
        return x.contiguous().view(-1, batch * self.num_heads, self.head_dim).transpose(0, 1)

    def _with_added(self, k: Tensor, v: Tensor, batch: int) -> Tuple[Tensor, Tensor, int]:
        """Keys and values with those that are learned and those of zeros, and how many these are."""
        added = 0
        bias_k, bias_v = self.bias_k, self.bias_v
        if bias_k is not None and bias_v is not None:
            if bias_k.is_quantized:
                bias_k = bias_k.dequantize()
            if bias_v.is_quantized:
                bias_v = bias_v.dequantize()
            k = torch.cat([k, self._heads(bias_k.repeat(1, batch, 1), batch)], dim=1)
            v = torch.cat([v, self._heads(bias_v.repeat(1, batch, 1), batch)], dim=1)
            added += 1
        if self.add_zero_attn:
            k = torch.cat([k, torch.zeros_like(k[:, :1])], dim=1)
            v = torch.cat([v, torch.zeros_like(v[:, :1])], dim=1)
            added += 1
        return k, v, added

    def _masked(
        self, scores: Tensor, attn_mask: Optional[Tensor], key_padding_mask: Optional[Tensor], batch: int, added: int
    ) -> Tensor:
        """The scores with masks; what was added to the keys is seen by all."""
        if attn_mask is not None:
            attn_mask = F.pad(attn_mask, [0, added])
            if attn_mask.dtype == torch.bool:
                scores = scores.masked_fill(attn_mask, float("-inf"))
            else:
                scores = scores + attn_mask
        if key_padding_mask is not None:
            padding = F.pad(key_padding_mask, [0, added]).unsqueeze(1).unsqueeze(2)
            each = scores.view(batch, self.num_heads, scores.size(1), scores.size(2))
            if padding.dtype == torch.bool:
                each = each.masked_fill(padding, float("-inf"))
            else:
                each = each + padding
            scores = each.view(scores.size())
        return scores

    @classmethod
    def from_float(cls, other):
        """The attention for a plain one, with observers."""
        if type(other) is not cls._FLOAT_MODULE:
            raise AssertionError(f"Expected type {cls._FLOAT_MODULE}, got {type(other)}")
        if not hasattr(other, "qconfig"):
            raise AssertionError("The float module must have 'qconfig'")
        made = cls(
            other.embed_dim, other.num_heads, other.dropout, other.in_proj_bias is not None, other.bias_k is not None,
            other.add_zero_attn, other.kdim, other.vdim, other.batch_first,
        )
        made.bias_k, made.bias_v = other.bias_k, other.bias_v
        made.qconfig = other.qconfig
        made.out_proj.weight, made.out_proj.bias = other.out_proj.weight, other.out_proj.bias
        if other._qkv_same_embed_dim:
            weights = other.in_proj_weight.detach().chunk(3)
        else:
            weights = [weight.detach() for weight in (other.q_proj_weight, other.k_proj_weight, other.v_proj_weight)]
        biases = [None] * 3 if other.in_proj_bias is None else other.in_proj_bias.detach().chunk(3)
        for linear, weight, bias in zip((made.linear_Q, made.linear_K, made.linear_V), weights, biases):
            linear.weight = torch.nn.Parameter(weight.clone(), other.out_proj.weight.requires_grad)
            linear.bias = None if bias is None else torch.nn.Parameter(bias.clone(), other.in_proj_bias.requires_grad)
        from ....quantization import prepare, prepare_qat

        if other.training:
            made.train()
            return prepare_qat(made, inplace=True)
        made.eval()
        return prepare(made, inplace=True)

    def dequantize(self):
        """The plain attention with the weights of a quantized one."""
        made = self._FLOAT_MODULE._FLOAT_MODULE if hasattr(self._FLOAT_MODULE, "_FLOAT_MODULE") else self._FLOAT_MODULE
        has_bias = self.linear_Q._weight_bias()[1] is not None
        made = made(
            self.embed_dim, self.num_heads, self.dropout, has_bias, self.bias_k is not None, self.add_zero_attn, self.kdim, self.vdim,
            self.batch_first,
        )
        parts = [linear._weight_bias() for linear in (self.linear_Q, self.linear_K, self.linear_V)]
        weights, biases = [weight.dequantize() for weight, _ in parts], [bias for _, bias in parts]
        output, output_bias = self.out_proj._weight_bias()
        with torch.no_grad():
            made.out_proj.weight.copy_(output.dequantize())
            if has_bias:
                made.out_proj.bias.copy_(output_bias)
                made.in_proj_bias.copy_(torch.cat(biases))
            if self.bias_k is not None:
                made.bias_k.copy_(self.bias_k.dequantize())
                made.bias_v.copy_(self.bias_v.dequantize())
            if made._qkv_same_embed_dim:
                made.in_proj_weight.copy_(torch.cat(weights))
            else:
                for name, weight in zip(("q_proj_weight", "k_proj_weight", "v_proj_weight"), weights):
                    getattr(made, name).copy_(weight)
        return made

    @classmethod
    def from_observed(cls, other):
        """Not from observed modules: those become :class:`torch.ao.nn.quantized.MultiheadAttention`."""
        raise NotImplementedError(
            "It looks like you are trying to prepare an MHA module. Please, see the examples on quantizable MHAs."
        )


publish(globals())
