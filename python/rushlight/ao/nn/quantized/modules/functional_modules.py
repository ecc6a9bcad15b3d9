"""Operations as modules, so that their results can be observed and quantized."""

from typing import List

import rushlight as torch

from ....._library import publish
from ....._rushlight import Tensor
from .....nn import Identity, Module

__all__ = ["FloatFunctional", "FXFloatFunctional", "QFunctional"]


class FloatFunctional(Module):
    """Operations on plain numbers, whose results pass through ``activation_post_process``."""

    def __init__(self) -> None:
        super().__init__()
        self.activation_post_process = Identity()

    def forward(self, x):
        raise RuntimeError("FloatFunctional is not intended to use the 'forward'. Please use the underlying operation")

    def add(self, x: Tensor, y: Tensor) -> Tensor:
        """``x + y``"""
        r = torch.add(x, y)
        r = self.activation_post_process(r)
        return r

    def add_scalar(self, x: Tensor, y: float) -> Tensor:
        """``x + y`` with a number, which is not observed."""
        return torch.add(x, y)

    def mul(self, x: Tensor, y: Tensor) -> Tensor:
        """``x · y``"""
        r = torch.mul(x, y)
        r = self.activation_post_process(r)
        return r

    def mul_scalar(self, x: Tensor, y: float) -> Tensor:
        """``x · y`` with a number, which is not observed."""
        return torch.mul(x, y)

    def cat(self, x: List[Tensor], dim: int = 0) -> Tensor:
        """The tensors behind one another."""
        r = torch.cat(x, dim=dim)
        r = self.activation_post_process(r)
        return r

    def add_relu(self, x: Tensor, y: Tensor) -> Tensor:
        """``relu(x + y)``"""
        r = torch.add(x, y)
        r = torch.nn.functional.relu(r)
        r = self.activation_post_process(r)
        return r

    def matmul(self, x: Tensor, y: Tensor) -> Tensor:
        """The matrix product."""
        r = torch.matmul(x, y)
        r = self.activation_post_process(r)
        return r


class FXFloatFunctional(Module):
    """Operations on plain numbers that nothing observes."""

    def forward(self, x):
        raise RuntimeError("FloatFunctional is not intended to use the 'forward'. Please use the underlying operation")

    def add(self, x: Tensor, y: Tensor) -> Tensor:
        """``x + y``"""
        return torch.add(x, y)

    def add_scalar(self, x: Tensor, y: float) -> Tensor:
        """``x + y`` with a number."""
        return torch.add(x, y)

    def mul(self, x: Tensor, y: Tensor) -> Tensor:
        """``x · y``"""
        return torch.mul(x, y)

    def mul_scalar(self, x: Tensor, y: float) -> Tensor:
        """``x · y`` with a number."""
        return torch.mul(x, y)

    def cat(self, x: List[Tensor], dim: int = 0) -> Tensor:
        """The tensors behind one another."""
        return torch.cat(x, dim=dim)

    def add_relu(self, x: Tensor, y: Tensor) -> Tensor:
        """``relu(x + y)``"""
        return torch.nn.functional.relu(torch.add(x, y))

    def matmul(self, x: Tensor, y: Tensor) -> Tensor:
        """The matrix product."""
        return torch.matmul(x, y)


class QFunctional(Module):
    """Operations on quantized numbers.

    Attributes:
        scale, zero_point: of the results.
    """

    def __init__(self) -> None:
        super().__init__()
        self.scale = 1.0
        self.zero_point = 0
        self.activation_post_process = Identity()

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        super()._save_to_state_dict(destination, prefix, keep_vars)
        destination[prefix + "scale"] = torch.tensor(self.scale)
        destination[prefix + "zero_point"] = torch.tensor(self.zero_point)

    def _load_from_state_dict(
        self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
    ):
        self.scale = float(state_dict.pop(prefix + "scale"))
        self.zero_point = int(state_dict.pop(prefix + "zero_point"))
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, False, missing_keys, unexpected_keys, error_msgs
        )

    def _get_name(self):
        return "QFunctional"

    def extra_repr(self):
        return f"scale={self.scale}, zero_point={self.zero_point}"

    def forward(self, x):
        raise RuntimeError("Functional is not intended to use the 'forward'. Please use the underlying operation")

    def add(self, x: Tensor, y: Tensor) -> Tensor:
        """``x + y``"""
        r = torch.ops.quantized.add(x, y, scale=self.scale, zero_point=self.zero_point)
        r = self.activation_post_process(r)
        return r

    def add_scalar(self, x: Tensor, y: float) -> Tensor:
        """``x + y`` with a number; the result has a scale of its own."""
        return torch.ops.quantized.add_scalar(x, y)

    def mul(self, x: Tensor, y: Tensor) -> Tensor:
        """``x · y``"""
        r = torch.ops.quantized.mul(x, y, scale=self.scale, zero_point=self.zero_point)
        r = self.activation_post_process(r)
        return r

    def mul_scalar(self, x: Tensor, y: float) -> Tensor:
        """``x · y`` with a number; the result has a scale of its own."""
        return torch.ops.quantized.mul_scalar(x, y)

    def cat(self, x: List[Tensor], dim: int = 0) -> Tensor:
        """The tensors behind one another."""
        r = torch.ops.quantized.cat(x, scale=self.scale, zero_point=self.zero_point, dim=dim)
        r = self.activation_post_process(r)
        return r

    def add_relu(self, x: Tensor, y: Tensor) -> Tensor:
        """``relu(x + y)``"""
        r = torch.ops.quantized.add_relu(x, y, scale=self.scale, zero_point=self.zero_point)
        r = self.activation_post_process(r)
        return r

    def matmul(self, x: Tensor, y: Tensor) -> Tensor:
        """The matrix product."""
        return torch.ops.quantized.matmul(x, y, scale=self.scale, zero_point=self.zero_point)

    @classmethod
    def from_float(cls, mod, use_precomputed_fake_quant=False):
        """The module for a :class:`FloatFunctional` that has been observed."""
        if type(mod) is not FloatFunctional:
            raise AssertionError(f"QFunctional.from_float expects an instance of FloatFunctional, got {type(mod).__name__}")
        scale, zero_point = mod.activation_post_process.calculate_qparams()
        made = QFunctional()
        made.scale, made.zero_point = float(scale), int(zero_point)
        return made


publish(globals())
