"""Tables of quantized rows."""

from typing import Optional

import rushlight as torch

from ....._library import publish
from ....._rushlight import Tensor
from .....nn import Embedding as FloatEmbedding
from .....nn import EmbeddingBag as FloatEmbeddingBag
from .....nn import Module
from .utils import _hide_packed_params_repr, _quantize_weight

__all__ = ["EmbeddingPackedParams", "Embedding", "EmbeddingBag"]

_UNSUPPORTED = "Unsupported dtype for quantized embedding! Supports quint8; quint4x2 is not supported by Rushlight."


def _check_dtype(dtype):
    if dtype == torch.quint4x2:
        raise NotImplementedError(_UNSUPPORTED)


class EmbeddingPackedParams(Module):
    """A table of rows, each with a scale and zero point of its own, packed."""

    _version = 1

    def __init__(self, num_embeddings, embedding_dim, dtype=torch.quint8):
        super().__init__()
        _check_dtype(dtype)
        self.dtype = dtype
        if self.dtype != torch.quint8:
            raise NotImplementedError(f"Unsupported dtype on quantized embedding! Supports quint8 and quint4x2. Got dtype: {dtype}")
        scales = torch.ones(num_embeddings, dtype=torch.float)
        zero_points = torch.zeros(num_embeddings, dtype=torch.float)
        rows = torch.zeros([num_embeddings, embedding_dim], dtype=torch.float)
        self.set_weight(torch.quantize_per_channel(rows, scales, zero_points, 0, torch.quint8))

    @torch.jit.export
    def set_weight(self, weight: Tensor) -> None:
        """Packs a table."""
        self._packed_weight = torch.ops.quantized.embedding_bag_prepack(weight)

    @torch.jit.export
    def _weight(self):
        return torch.ops.quantized.embedding_bag_unpack(self._packed_weight)

    def forward(self, x):
        return x

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        super()._save_to_state_dict(destination, prefix, keep_vars)
        destination[prefix + "dtype"] = self.dtype
        destination[prefix + "_packed_weight"] = self._weight()

    def _load_from_state_dict(
        self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
    ):
        dtype = state_dict.pop(prefix + "dtype")
        _check_dtype(dtype)
        self.dtype = dtype
        self.set_weight(state_dict.pop(prefix + "_packed_weight"))
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, False, missing_keys, unexpected_keys, error_msgs
        )

    def __repr__(self):
        return repr(self._weight())


def _observed_table(mod, kind, use_precomputed_fake_quant):
    """The quantized table of a plain module, and its dtype."""
    from ....quantization.qconfig import float_qparams_weight_only_qconfig

    if hasattr(mod, "weight_fake_quant"):
        observer = mod.weight_fake_quant
    elif getattr(mod, "qconfig", None) is not None and mod.qconfig.weight is not None:
        observer = mod.qconfig.weight()
    else:
        observer = float_qparams_weight_only_qconfig.weight()
    dtype = observer.dtype
    is_float = observer.qscheme == torch.per_channel_affine_float_qparams
    if not is_float:
        raise AssertionError(f"{kind} quantization is only supported with float_qparams_weight_only_qconfig.")
    if not use_precomputed_fake_quant:
        observer(mod.weight)
    if dtype not in (torch.quint8, torch.quint4x2):
        raise AssertionError(f"The only supported dtype for nnq.Embedding is torch.quint8 and torch.quint4x2, got {dtype}")
    _check_dtype(dtype)
    return _quantize_weight(mod.weight.float(), observer), dtype


class Embedding(Module):
    """Rows of a quantized table, by index.

    Args:
        num_embeddings: how many rows there are.
        embedding_dim: how many numbers a row has.
        _weight: the quantized table.
        others: ignored, as a plain module has them.
    """

    _version = 1

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: Optional[int] = None,
        max_norm: Optional[float] = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Optional[Tensor] = None,
        dtype=torch.quint8,
    ) -> None:
        super().__init__()
        _check_dtype(dtype)
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.dtype = dtype
        if _weight is None:
            scales = torch.ones(num_embeddings, dtype=torch.float)
            zero_points = torch.zeros(num_embeddings, dtype=torch.float)
            rows = torch.zeros([num_embeddings, embedding_dim], dtype=torch.float)
            _weight = torch.quantize_per_channel(rows, scales, zero_points, 0, torch.quint8)
        elif list(_weight.shape) != [num_embeddings, embedding_dim]:
            raise AssertionError("Shape of weight does not match num_embeddings and embedding_dim")
        self._packed_params = EmbeddingPackedParams(num_embeddings, embedding_dim, dtype)
        self._packed_params.set_weight(_weight)

    def forward(self, indices: Tensor) -> Tensor:
        return torch.ops.quantized.embedding_byte(self._packed_params._packed_weight, indices)

    def _get_name(self):
        return "QuantizedEmbedding"

    def __repr__(self):
        return _hide_packed_params_repr(self, EmbeddingPackedParams)

    def extra_repr(self):
        return (
            f"num_embeddings={self.num_embeddings}, embedding_dim={self.embedding_dim}, "
            f"dtype={self._packed_params.dtype}, qscheme={self.weight().qscheme()}"
        )

    def set_weight(self, w: Tensor) -> None:
        """Replaces the quantized table."""
        self._packed_params.set_weight(w)

    def weight(self):
        """The quantized table."""
        return self._packed_params._weight()

    @classmethod
    def from_float(cls, mod, use_precomputed_fake_quant=False):
        """The module for a plain table."""
        from ...qat.modules.embedding_ops import Embedding as TrainedEmbedding

        if hasattr(mod, "weight_fake_quant"):
            if type(mod) is not TrainedEmbedding:
                raise AssertionError(f"nnq.{cls.__name__}.from_float with fake quant only works for {TrainedEmbedding.__name__}")
        else:
            if type(mod) is not FloatEmbedding:
                raise AssertionError(f"nnq.{cls.__name__}.from_float only works for {FloatEmbedding.__name__}")
            if not hasattr(mod, "qconfig"):
                raise AssertionError("Embedding input float module must have qconfig defined")
        weight, dtype = _observed_table(mod, "Embedding", use_precomputed_fake_quant)
        made = Embedding(mod.num_embeddings, mod.embedding_dim, dtype=dtype)
        made.set_weight(weight)
        return made

    @classmethod
    def from_reference(cls, ref_embedding):
        """The module for one that keeps its quantized table unpacked."""
        return cls(
            ref_embedding.num_embeddings,
            ref_embedding.embedding_dim,
            _weight=ref_embedding.get_quantized_weight(),
            dtype=ref_embedding.weight_dtype,
        )


class EmbeddingBag(Embedding):
    """Sums of rows of a quantized table, by lists of indices."""

    _version = 1

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: Optional[float] = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "sum",
        sparse: bool = False,
        _weight: Optional[Tensor] = None,
        include_last_offset: bool = False,
        dtype=torch.quint8,
    ) -> None:
        super().__init__(num_embeddings, embedding_dim, _weight=_weight, dtype=dtype)
        self.mode = mode
        self.pruned_weights = False
        self.include_last_offset = include_last_offset
        self.dtype = dtype

    def forward(
        self,
        indices: Tensor,
        offsets: Optional[Tensor] = None,
        per_sample_weights: Optional[Tensor] = None,
        compressed_indices_mapping: Optional[Tensor] = None,
    ) -> Tensor:
        return torch.ops.quantized.embedding_bag_byte(
            self._packed_params._packed_weight,
            indices,
            offsets,
            False,
            0,
            self.pruned_weights,
            per_sample_weights,
            compressed_indices_mapping,
            self.include_last_offset,
        )

    def _get_name(self):
        return "QuantizedEmbeddingBag"

    @classmethod
    def from_float(cls, mod, use_precomputed_fake_quant=False):
        """The module for a plain table whose rows are summed."""
        if not hasattr(mod, "weight_fake_quant"):
            if type(mod) is not FloatEmbeddingBag:
                raise AssertionError(f"nnq.{cls.__name__}.from_float only works for {FloatEmbeddingBag.__name__}")
            if not hasattr(mod, "qconfig"):
                raise AssertionError("EmbeddingBag input float module must have qconfig defined")
        weight, dtype = _observed_table(mod, "EmbeddingBag", use_precomputed_fake_quant)
        made = EmbeddingBag(
            mod.num_embeddings,
            mod.embedding_dim,
            max_norm=mod.max_norm,
            norm_type=mod.norm_type,
            mode=mod.mode,
            include_last_offset=mod.include_last_offset,
            dtype=dtype,
        )
        made.set_weight(weight)
        return made

    @classmethod
    def from_reference(cls, ref_embedding_bag):
        """The module for one that keeps its quantized table unpacked."""
        return cls(
            ref_embedding_bag.num_embeddings,
            ref_embedding_bag.embedding_dim,
            ref_embedding_bag.max_norm,
            ref_embedding_bag.norm_type,
            ref_embedding_bag.scale_grad_by_freq,
            ref_embedding_bag.mode,
            ref_embedding_bag.sparse,
            ref_embedding_bag.get_quantized_weight(),
            ref_embedding_bag.include_last_offset,
            ref_embedding_bag.weight_dtype,
        )


publish(globals())
