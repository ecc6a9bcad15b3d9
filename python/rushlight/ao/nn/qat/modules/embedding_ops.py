"""Tables that train with rounded rows."""

import rushlight as torch

from ....._library import publish
from ....._rushlight import Tensor
from .....nn import Embedding as PlainEmbedding
from .....nn import EmbeddingBag as PlainEmbeddingBag
from .....nn import functional as F

__all__ = ["Embedding", "EmbeddingBag"]


def _check_qconfig(cls, qconfig):
    """Refuses configurations that tables cannot have."""
    if not qconfig:
        raise AssertionError("qconfig must be provided for QAT module")
    if qconfig.weight().qscheme != torch.per_channel_affine_float_qparams:
        raise AssertionError(f"{cls} weights requires a qscheme of torch.per_channel_affine_float_qparams Got {qconfig.weight().qscheme}")


def _check_float(cls, mod):
    """Refuses what a layer cannot be made of."""
    if type(mod) is not cls._FLOAT_MODULE:
        raise AssertionError(f" qat.{cls.__name__}.from_float only works for {cls._FLOAT_MODULE.__name__}")
    if not hasattr(mod, "qconfig"):
        raise AssertionError("Input float module must have qconfig defined")
    if not mod.qconfig:
        raise AssertionError("Input float module must have a valid qconfig")
    if mod.qconfig.weight().qscheme != torch.per_channel_affine_float_qparams:
        raise AssertionError(
            f"{cls.__name__} weights requires a qscheme of torch.per_channel_affine_float_qparams "
            f"Got {mod.qconfig.weight().qscheme}"
        )


class Embedding(PlainEmbedding):
    """Rows of a table that passes through ``weight_fake_quant``."""

    _FLOAT_MODULE = PlainEmbedding

    def __init__(
        self,
        num_embeddings,
        embedding_dim,
        padding_idx=None,
        max_norm=None,
        norm_type=2.0,
        scale_grad_by_freq=False,
        sparse=False,
        _weight=None,
        device=None,
        dtype=None,
        qconfig=None,
    ) -> None:
        super().__init__(
            num_embeddings, embedding_dim, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse, _weight,
            device=device, dtype=dtype,
        )
        _check_qconfig("Embedding", qconfig)
        self.qconfig = qconfig
        self.weight_fake_quant = qconfig.weight()

    def forward(self, input) -> Tensor:
        return F.embedding(
            input, self.weight_fake_quant(self.weight), self.padding_idx, self.max_norm, self.norm_type,
            self.scale_grad_by_freq, self.sparse,
        )

    @classmethod
    def from_float(cls, mod, use_precomputed_fake_quant=False):
        """The layer for a plain table, which it takes."""
        _check_float(cls, mod)
        return cls(
            mod.num_embeddings,
            mod.embedding_dim,
            mod.padding_idx,
            mod.max_norm,
            mod.norm_type,
            mod.scale_grad_by_freq,
            mod.sparse,
            mod.weight,
            mod.weight.device,
            mod.weight.dtype,
            mod.qconfig,
        )

    def to_float(self):
        """A plain table with the same rows."""
        made = PlainEmbedding(
            self.num_embeddings, self.embedding_dim, self.padding_idx, self.max_norm, self.norm_type,
            self.scale_grad_by_freq, self.sparse, None,
        )
        made.weight = torch.nn.Parameter(self.weight.detach())
        made.train(self.training)
        return made


class EmbeddingBag(PlainEmbeddingBag):
    """Sums or means of rows of a table that passes through ``weight_fake_quant``."""

    _FLOAT_MODULE = PlainEmbeddingBag

    def __init__(
        self,
        num_embeddings,
        embedding_dim,
        max_norm=None,
        norm_type=2.0,
        scale_grad_by_freq=False,
        mode="mean",
        sparse=False,
        _weight=None,
        include_last_offset=False,
        padding_idx=None,
        qconfig=None,
        device=None,
        dtype=None,
    ) -> None:
        super().__init__(
            num_embeddings, embedding_dim, max_norm, norm_type, scale_grad_by_freq, mode, sparse, _weight,
            include_last_offset, padding_idx, device=device, dtype=dtype,
        )
        _check_qconfig("EmbeddingBag", qconfig)
        self.qconfig = qconfig
        self.weight_fake_quant = qconfig.weight()

    def forward(self, input, offsets=None, per_sample_weights=None) -> Tensor:
        return F.embedding_bag(
            input, self.weight_fake_quant(self.weight), offsets, self.max_norm, self.norm_type, self.scale_grad_by_freq,
            self.mode, self.sparse, per_sample_weights, self.include_last_offset, self.padding_idx,
        )

    @classmethod
    def from_float(cls, mod, use_precomputed_fake_quant=False):
        """The layer for a plain table, which it takes."""
        _check_float(cls, mod)
        return cls(
            mod.num_embeddings,
            mod.embedding_dim,
            mod.max_norm,
            mod.norm_type,
            mod.scale_grad_by_freq,
            mod.mode,
            mod.sparse,
            mod.weight,
            mod.include_last_offset,
            mod.padding_idx,
            mod.qconfig,
            mod.weight.device,
            mod.weight.dtype,
        )

    def to_float(self):
        """A plain table with the same rows."""
        made = PlainEmbeddingBag(
            self.num_embeddings, self.embedding_dim, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.mode,
            self.sparse, None, self.include_last_offset, self.padding_idx,
        )
        made.weight = torch.nn.Parameter(self.weight.detach())
        made.train(self.training)
        return made


publish(globals())
