"""Observers that look at nothing: they keep the place of others, what is set already, or all that passes."""

import warnings
from typing import List, Optional

import rushlight as torch

from ..._library import publish
from ..._rushlight import Tensor
from ._observer_base import ObserverBase


class FixedQParamsObserver(ObserverBase):
    """Gives a scale and a zero point that are set from the start, as those of a sigmoid's results."""

    scale: Tensor
    zero_point: Tensor

    def __init__(
        self,
        scale,
        zero_point,
        dtype=torch.quint8,
        qscheme=torch.per_tensor_affine,
        quant_min=0,
        quant_max=255,
        is_dynamic=False,
        **kwargs,
    ):
        if is_dynamic:
            raise NotImplementedError("FixedQParamsObserver doesn't support dynamic quantization")
        super().__init__(dtype=dtype, is_dynamic=is_dynamic, **kwargs)
        self.quant_min = quant_min
        self.quant_max = quant_max
        self.register_buffer("scale", torch.tensor([scale], dtype=torch.float))
        self.register_buffer("zero_point", torch.tensor([zero_point], dtype=torch.int))
        self.dtype = dtype
        self.qscheme = qscheme

    def forward(self, X):
        return X

    @torch.jit.export
    def calculate_qparams(self):
        """The scale and zero point that were set."""
        return self.scale, self.zero_point


class PlaceholderObserver(ObserverBase):
    """Says a dtype and nothing about ranges: for numbers of fewer bits and for scales that each input gives."""

    def __init__(
        self,
        dtype=torch.float32,
        custom_op_name="",
        compute_dtype=None,
        quant_min=None,
        quant_max=None,
        qscheme=None,
        eps=None,
        is_dynamic=False,
    ) -> None:
        super().__init__(dtype=dtype, is_dynamic=is_dynamic)
        if qscheme is None:
            qscheme = torch.per_tensor_affine
        if eps is None:
            eps = torch.finfo(torch.float32).eps
        self.dtype = dtype
        self.qscheme = qscheme
        self.quant_min = quant_min
        self.quant_max = quant_max
        self.eps = eps
        self.custom_op = custom_op_name
        if compute_dtype:
            is_dynamic = True
            warnings.warn(
                "Please use `is_dynamic` instead of `compute_dtype`.                     `compute_dtype` will be deprecated in "
                "a future release                     of PyTorch.",
                stacklevel=2,
            )

    def forward(self, x):
        return x

    @torch.jit.export
    def extra_repr(self):
        return f"dtype={self.dtype}, is_dynamic={self.is_dynamic}"

    @torch.jit.export
    def calculate_qparams(self):
        """Nothing to say: raises."""
        raise Exception("calculate_qparams should not be called for PlaceholderObserver")  # noqa: TRY002  the class that callers know


class RecordingObserver(ObserverBase):
    """Keeps a copy of every tensor that passes."""

    __annotations__ = {"tensor_val": List[Optional[Tensor]]}

    def __init__(self, dtype=torch.quint8):
        super().__init__(dtype=dtype, is_dynamic=False)
        self.tensor_val = []

    def forward(self, x):
        self.tensor_val.append(x.clone())
        return x

    @torch.jit.export
    def calculate_qparams(self):
        """Nothing to say: raises."""
        raise Exception("calculate_qparams should not be called for RecordingObserver")  # noqa: TRY002  the class that callers know

    @torch.jit.export
    def get_tensor_value(self):
        """The tensors, in order."""
        return self.tensor_val


class NoopObserver(ObserverBase):
    """Looks at nothing; says the dtype that numbers are to have."""

    def __init__(self, dtype=torch.float16, custom_op_name="") -> None:
        super().__init__(dtype=dtype, is_dynamic=False)
        self.dtype = dtype
        self.custom_op = custom_op_name

    def forward(self, x):
        return x

    @torch.jit.export
    def calculate_qparams(self):
        """Nothing to say: raises."""
        raise Exception("calculate_qparams should not be called for NoopObserver")  # noqa: TRY002  the class that callers know


class ReuseInputObserver(ObserverBase):
    """Stands where the results of an operation are quantized as its input is."""

    def __init__(self) -> None:
        super().__init__(torch.quint8, is_dynamic=False)

    def forward(self, x):
        return x

    @torch.jit.export
    def calculate_qparams(self):
        """Nothing to say: raises."""
        raise Exception("calculate_qparams should not be called for ReuseInputObserver")  # noqa: TRY002  the class that callers know


publish(globals(), "torch.ao.quantization.observer")
