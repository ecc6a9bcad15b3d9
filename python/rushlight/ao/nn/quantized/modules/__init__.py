"""The layers of quantized numbers, a file per family, and what makes numbers quantized and plain again."""

import rushlight as torch

from ....._library import publish
from ....._rushlight import Tensor
from .....nn import MaxPool2d, Module  # noqa: F401
from .activation import ELU, Hardswish, LeakyReLU, MultiheadAttention, PReLU, ReLU6, Sigmoid, Softmax
from .batchnorm import BatchNorm2d, BatchNorm3d
from .conv import Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from .dropout import Dropout
from .embedding_ops import Embedding, EmbeddingBag
from .functional_modules import FloatFunctional, FXFloatFunctional, QFunctional
from .linear import Linear
from .normalization import GroupNorm, InstanceNorm1d, InstanceNorm2d, InstanceNorm3d, LayerNorm
from .rnn import LSTM

__all__ = [
    "BatchNorm2d", "BatchNorm3d", "Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d",
    "DeQuantize", "ELU", "Embedding", "EmbeddingBag", "GroupNorm", "Hardswish", "InstanceNorm1d", "InstanceNorm2d",
    "InstanceNorm3d", "LayerNorm", "LeakyReLU", "Linear", "LSTM", "MultiheadAttention", "Quantize", "ReLU6", "Sigmoid",
    "Softmax", "Dropout", "PReLU", "FloatFunctional", "FXFloatFunctional", "QFunctional",
]


class Quantize(Module):
    """Quantizes numbers with one scale and zero point.

    Args:
        scale, zero_point: of the result.
        dtype: of the result, ``torch.quint8``, ``torch.qint8`` or ``torch.qint32``.
    """

    scale: Tensor
    zero_point: Tensor

    def __init__(self, scale, zero_point, dtype, factory_kwargs=None):
        factory = dict(factory_kwargs or {})
        factory.pop("dtype", None)
        super().__init__()
        self.register_buffer("scale", torch.tensor([scale], **factory))
        self.register_buffer("zero_point", torch.tensor([zero_point], dtype=torch.long, **factory))
        self.dtype = dtype

    def forward(self, X):
        return torch.quantize_per_tensor(X, float(self.scale), int(self.zero_point), self.dtype)

    @staticmethod
    def from_float(mod, use_precomputed_fake_quant=False):
        """The module for a :class:`torch.ao.quantization.QuantStub` that has been observed."""
        if not hasattr(mod, "activation_post_process"):
            raise AssertionError("mod must have activation_post_process attribute")
        scale, zero_point = mod.activation_post_process.calculate_qparams()
        return Quantize(scale.float().item(), zero_point.long().item(), mod.activation_post_process.dtype)

    def extra_repr(self):
        return f"scale={self.scale}, zero_point={self.zero_point}, dtype={self.dtype}"


class DeQuantize(Module):
    """Gives the numbers that quantized ones stand for."""

    def forward(self, Xq):
        return Xq.dequantize()

    @staticmethod
    def from_float(mod, use_precomputed_fake_quant=False):
        """The module for a :class:`torch.ao.quantization.DeQuantStub`."""
        return DeQuantize()


publish(globals())
