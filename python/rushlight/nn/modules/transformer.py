"""Transformers: stacks of attention and feed-forward layers."""

import copy
import warnings
from typing import Optional

import rushlight as torch

from ..._library import publish
from ..._rushlight import Tensor, device as Device, dtype as DType
from .. import functional as F
from .. import init
from ..functional._masks import look_ahead_mask, prepared_masks
from ._at_once import may_run_at_once, run_at_once
from ._attention import MultiheadAttention
from .container import ModuleList
from .dropout import Dropout
from .linear import Linear
from .module import Module
from .normalization import LayerNorm

__all__ = [
    "Transformer", "TransformerDecoder", "TransformerDecoderLayer", "TransformerEncoder", "TransformerEncoderLayer",
]

_ACTIVATIONS = {"relu": F.relu, "gelu": F.gelu}


def _activation(given):
    """The function that a word stands for; functions and modules stand for themselves."""
    if not isinstance(given, str):
        return given
    if given not in _ACTIVATIONS:
        raise RuntimeError(f"activation should be relu/gelu, not {given}")
    return _ACTIVATIONS[given]


_get_activation_fn = _activation


def _copies(layer, count):
    return ModuleList([copy.deepcopy(layer) for _ in range(count)])


_get_clones = _copies


def _generate_square_subsequent_mask(sz: int, device: Optional[Device] = None, dtype: Optional[DType] = None) -> Tensor:
    """Minus infinity where a position would see a later one."""
    return look_ahead_mask(sz, device=device, dtype=dtype)


def _keeps_from_looking_ahead(hint: Optional[bool], mask: Optional[Tensor], x: Tensor, batch_first: bool) -> bool:
    """Whether a mask does nothing but hide later positions: as the caller says, or by comparison."""
    if hint is not None:
        return hint
    if mask is None:
        return False
    length = x.size(-2) if batch_first or x.dim() == 2 else x.size(0)
    expected = look_ahead_mask(length, device=mask.device, dtype=mask.dtype)
    return mask.size() == expected.size() and bool((mask == expected).all())


class Transformer(Module):
    """An encoder and a decoder."""

    def __init__(
        self,
        d_model=512,
        nhead=8,
        num_encoder_layers=6,
        num_decoder_layers=6,
        dim_feedforward=2048,
        dropout=0.1,
        activation=F.relu,
        custom_encoder=None,
        custom_decoder=None,
        layer_norm_eps=1e-5,
        batch_first=False,
        norm_first=False,
        bias=True,
        device=None,
        dtype=None,
    ):
        super().__init__()
        layer = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias, device, dtype)
        norm = {"eps": layer_norm_eps, "bias": bias, "device": device, "dtype": dtype}
        if custom_encoder is None:
            custom_encoder = TransformerEncoder(TransformerEncoderLayer(*layer), num_encoder_layers, LayerNorm(d_model, **norm))
        self.encoder = custom_encoder
        if custom_decoder is None:
            custom_decoder = TransformerDecoder(TransformerDecoderLayer(*layer), num_decoder_layers, LayerNorm(d_model, **norm))
        self.decoder = custom_decoder
        self._reset_parameters()
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Optional[Tensor] = None,
        tgt_mask: Optional[Tensor] = None,
        memory_mask: Optional[Tensor] = None,
        src_key_padding_mask: Optional[Tensor] = None,
        tgt_key_padding_mask: Optional[Tensor] = None,
        memory_key_padding_mask: Optional[Tensor] = None,
        src_is_causal: Optional[bool] = None,
        tgt_is_causal: Optional[bool] = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """The layer's result."""
        batch_dim = 0 if self.batch_first else 1
        if src.dim() == 3 and src.size(batch_dim) != tgt.size(batch_dim):
            raise RuntimeError("the batch number of src and tgt must be equal")
        if src.size(-1) != self.d_model or tgt.size(-1) != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal)
        return self.decoder(
            tgt,
            memory,
            tgt_mask=tgt_mask,
            memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
            tgt_is_causal=tgt_is_causal,
            memory_is_causal=memory_is_causal,
        )

    @staticmethod
    def generate_square_subsequent_mask(
        sz: int, device: Optional[Device] = None, dtype: Optional[DType] = None
    ) -> Tensor:
        """Minus infinity where a position would see a later one."""
        return look_ahead_mask(sz, device=device, dtype=dtype)

    def _reset_parameters(self):
        for weight in self.parameters():
            if weight.dim() > 1:
                init.xavier_uniform_(weight)


class TransformerEncoder(Module):
    """A stack of encoder layers."""

    __constants__ = ["norm"]

    def __init__(self, encoder_layer, num_layers, norm=None, enable_nested_tensor=True, mask_check=True):
        super().__init__()
        self.layers = _copies(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm
        self.enable_nested_tensor = enable_nested_tensor
        self.use_nested_tensor = enable_nested_tensor
        self.mask_check = mask_check
        why_not = _why_no_nested_tensor(encoder_layer)
        if enable_nested_tensor and why_not:
            warnings.warn(
                f"enable_nested_tensor is True, but self.use_nested_tensor is False because {why_not}", stacklevel=2
            )
            self.use_nested_tensor = False

    def forward(
        self,
        src: Tensor,
        mask: Optional[Tensor] = None,
        src_key_padding_mask: Optional[Tensor] = None,
        is_causal: Optional[bool] = None,
    ) -> Tensor:
        """The layer's result."""
        src_key_padding_mask, mask = prepared_masks(
            src_key_padding_mask, "src_key_padding_mask", mask, "mask", src.dtype
        )
        is_causal = _keeps_from_looking_ahead(is_causal, mask, src, self.layers[0].self_attn.batch_first)
        output = src
        for layer in self.layers:
            output = layer(output, src_mask=mask, is_causal=is_causal, src_key_padding_mask=src_key_padding_mask)
        if src_key_padding_mask is not None and mask is None and self._leaves_padding_out(src, src_key_padding_mask):
            if not torch.jit.is_scripting():
                # The reference leaves padding out by nested tensors, and says so.
                torch.nested._warn_of_prototype()
            output = output.masked_fill((src_key_padding_mask != 0).unsqueeze(-1), 0.0)
        if self.norm is not None:
            output = self.norm(output)
        return output

    def _leaves_padding_out(self, src: Tensor, src_key_padding_mask: Tensor) -> bool:
        """Whether the output is zero at padded positions: in evaluation, without gradients, with padding at the end."""
        first = self.layers[0]
        if not self.use_nested_tensor or first.training or src.dim() != 3:
            return False
        if torch.is_grad_enabled() and (
            src.requires_grad or first.linear1.weight.requires_grad or first.self_attn.out_proj.weight.requires_grad
        ):
            return False
        is_kept = src_key_padding_mask == 0
        if self.mask_check and bool((is_kept[:, 1:] & ~is_kept[:, :-1]).any()):
            return False
        return True


def _why_no_nested_tensor(layer):
    """Why the layers of an encoder cannot leave padding out, empty when they can."""
    if not isinstance(layer, TransformerEncoderLayer):
        return "encoder_layer was not TransformerEncoderLayer"
    attention = layer.self_attn
    obstacles = {
        "encoder_layer.norm_first was True": layer.norm_first,
        "encoder_layer.self_attn.batch_first was not True(use batch_first for better inference performance)":
            not attention.batch_first,
        "encoder_layer.self_attn._qkv_same_embed_dim was not True": not attention._qkv_same_embed_dim,
        "encoder_layer.self_attn was passed bias=False": attention.in_proj_bias is None,
        "encoder_layer.activation_relu_or_gelu was not True": not layer.activation_relu_or_gelu,
        "encoder_layer.norm1.eps was not equal to encoder_layer.norm2.eps": layer.norm1.eps != layer.norm2.eps,
        "encoder_layer.self_attn.num_heads is odd": attention.num_heads % 2 == 1,
    }
    return next((reason for reason, holds in obstacles.items() if holds), "")


class TransformerDecoder(Module):
    """A stack of decoder layers."""

    __constants__ = ["norm"]

    def __init__(self, decoder_layer, num_layers, norm=None):
        super().__init__()
        self.layers = _copies(decoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Optional[Tensor] = None,
        memory_mask: Optional[Tensor] = None,
        tgt_key_padding_mask: Optional[Tensor] = None,
        memory_key_padding_mask: Optional[Tensor] = None,
        tgt_is_causal: Optional[bool] = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """The layer's result."""
        tgt_is_causal = _keeps_from_looking_ahead(tgt_is_causal, tgt_mask, tgt, self.layers[0].self_attn.batch_first)
        output = tgt
        for layer in self.layers:
            output = layer(
                output,
                memory,
                tgt_mask=tgt_mask,
                memory_mask=memory_mask,
                tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask,
                tgt_is_causal=tgt_is_causal,
                memory_is_causal=memory_is_causal,
            )
        if self.norm is not None:
            output = self.norm(output)
        return output


class _TransformerLayer(Module):
    """What layers share: attentions, then a feed-forward network, each added to its input and normalised.

    There is a ``norm`` and a ``dropout`` for each of these steps. With ``norm_first`` the input of a step is normalised,
    otherwise what comes out of the addition is. Subclasses may replace the ``..._block`` methods, which compute what is added.
    """

    __constants__ = ["norm_first"]

    def __init__(
        self, attentions, d_model, nhead, dim_feedforward, dropout, layer_norm_eps, batch_first, norm_first, bias, device, dtype
    ):
        factory = {"device": device, "dtype": dtype}
        super().__init__()
        for name in attentions:
            attention = MultiheadAttention(d_model, nhead, dropout=dropout, bias=bias, batch_first=batch_first, **factory)
            setattr(self, name, attention)
        self.linear1 = Linear(d_model, dim_feedforward, bias=bias, **factory)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias=bias, **factory)
        self.norm_first = norm_first
        steps = range(1, len(attentions) + 2)
        for step in steps:
            setattr(self, f"norm{step}", LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **factory))
        for step in steps:
            setattr(self, f"dropout{step}", Dropout(dropout))

    def __setstate__(self, state):
        super().__setstate__(state)
        # Layers were saved without it once.
        if not hasattr(self, "activation"):
            self.activation = F.relu

    def _attended(self, x: Tensor, mask: Optional[Tensor], padding: Optional[Tensor], is_causal: bool) -> Tensor:
        """The first step: the sequence sees itself."""
        if self.norm_first:
            return x + self._sa_block(self.norm1(x), mask, padding, is_causal)
        return self.norm1(x + self._sa_block(x, mask, padding, is_causal))

    def _sa_block(
        self, x: Tensor, attn_mask: Optional[Tensor], key_padding_mask: Optional[Tensor], is_causal: bool = False
    ) -> Tensor:
        seen, _ = self.self_attn(
            x, x, x, key_padding_mask=key_padding_mask, need_weights=False, attn_mask=attn_mask, is_causal=is_causal
        )
        return self.dropout1(seen)

    def _feed_forward(self, x: Tensor) -> Tensor:
        return self.linear2(self.dropout(self.activation(self.linear1(x))))


class TransformerEncoderLayer(_TransformerLayer):
    """Attention of a sequence to itself, then a feed-forward network."""

    def __init__(
        self,
        d_model,
        nhead,
        dim_feedforward=2048,
        dropout=0.1,
        activation=F.relu,
        layer_norm_eps=1e-5,
        batch_first=False,
        norm_first=False,
        bias=True,
        device=None,
        dtype=None,
    ):
        super().__init__(
            ("self_attn",), d_model, nhead, dim_feedforward, dropout, layer_norm_eps, batch_first, norm_first, bias, device, dtype
        )
        activation = _activation(activation)
        self.activation_relu_or_gelu = 1 if activation is F.relu else 2 if activation is F.gelu else 0
        self.activation = activation

    def forward(
        self,
        src: Tensor,
        src_mask: Optional[Tensor] = None,
        src_key_padding_mask: Optional[Tensor] = None,
        is_causal: bool = False,
    ) -> Tensor:
        """The layer's result."""
        src_key_padding_mask, src_mask = prepared_masks(
            src_key_padding_mask, "src_key_padding_mask", src_mask, "src_mask", src.dtype
        )
        if not torch.jit.is_scripting():
            if may_run_at_once(self, src):
                return run_at_once(self, src, src_mask, src_key_padding_mask)
        x = self._attended(src, src_mask, src_key_padding_mask, is_causal)
        if self.norm_first:
            return x + self._ff_block(self.norm2(x))
        return self.norm2(x + self._ff_block(x))

    def _ff_block(self, x: Tensor) -> Tensor:
        return self.dropout2(self._feed_forward(x))


class TransformerDecoderLayer(_TransformerLayer):
    """Attention of a sequence to itself, then to a memory, then a feed-forward network."""

    def __init__(
        self,
        d_model,
        nhead,
        dim_feedforward=2048,
        dropout=0.1,
        activation=F.relu,
        layer_norm_eps=1e-5,
        batch_first=False,
        norm_first=False,
        bias=True,
        device=None,
        dtype=None,
    ):
        super().__init__(
            ("self_attn", "multihead_attn"),
            d_model,
            nhead,
            dim_feedforward,
            dropout,
            layer_norm_eps,
            batch_first,
            norm_first,
            bias,
            device,
            dtype,
        )
        self.activation = _activation(activation)

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Optional[Tensor] = None,
        memory_mask: Optional[Tensor] = None,
        tgt_key_padding_mask: Optional[Tensor] = None,
        memory_key_padding_mask: Optional[Tensor] = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """The layer's result."""
        x = self._attended(tgt, tgt_mask, tgt_key_padding_mask, tgt_is_causal)
        if self.norm_first:
            x = x + self._mha_block(self.norm2(x), memory, memory_mask, memory_key_padding_mask, memory_is_causal)
            return x + self._ff_block(self.norm3(x))
        x = self.norm2(x + self._mha_block(x, memory, memory_mask, memory_key_padding_mask, memory_is_causal))
        return self.norm3(x + self._ff_block(x))

    def _mha_block(
        self,
        x: Tensor,
        mem: Tensor,
        attn_mask: Optional[Tensor],
        key_padding_mask: Optional[Tensor],
        is_causal: bool = False,
    ) -> Tensor:
        seen, _ = self.multihead_attn(
            x, mem, mem, key_padding_mask=key_padding_mask, need_weights=False, attn_mask=attn_mask, is_causal=is_causal
        )
        return self.dropout2(seen)

    def _ff_block(self, x: Tensor) -> Tensor:
        return self.dropout3(self._feed_forward(x))


publish(globals())
