"""Takes away the blocks of weights with the smallest norms."""

from typing import Callable, Optional, Union

import rushlight as torch

from ...._library import publish
from ...._rushlight import Tensor
from ....nn import functional as F
from .base_sparsifier import BaseSparsifier

__all__ = ["WeightNormSparsifier"]

_NORMS = {1: torch.abs, 2: torch.square}


class WeightNormSparsifier(BaseSparsifier):
    """Blocks with small norms have zeros.

    Args:
        sparsity_level: how many of the blocks have zeros, from 0 to 1.
        sparse_block_shape: rows and columns of a block; blocks do not overlap.
        zeros_per_block: how many zeros such a block has; all of its elements where nothing is said.
        norm: 1, 2, or a function on elements; the sum over a block is its norm.

    Raises:
        NotImplementedError: another norm.
    """

    def __init__(
        self,
        sparsity_level: float = 0.5,
        sparse_block_shape: tuple[int, int] = (1, 4),
        zeros_per_block: Optional[int] = None,
        norm: Union[Callable, int, None] = None,
    ):
        if zeros_per_block is None:
            zeros_per_block = sparse_block_shape[0] * sparse_block_shape[1]
        defaults = {
            "sparsity_level": sparsity_level, "sparse_block_shape": sparse_block_shape, "zeros_per_block": zeros_per_block,
        }
        norm = 2 if norm is None else norm
        if callable(norm):
            self.norm_fn = norm
        elif norm in _NORMS:
            self.norm_fn = _NORMS[norm]
        else:
            raise NotImplementedError(f"L-{norm} is not yet implemented.")
        super().__init__(defaults=defaults)

    def _blocks(self, norms: Tensor, shape: tuple[int, int], level: float) -> Tensor:
        """Where blocks are to have zeros: ones in the whole of the `level` of blocks with the smallest norms."""
        height, width = norms.shape[-2:]
        pooled = F.avg_pool2d(norms[None, None], kernel_size=shape, stride=shape, ceil_mode=True).flatten()
        count = min(round(level * pooled.numel()), pooled.numel())
        chosen = torch.zeros(pooled.numel(), dtype=torch.bool)
        if count:
            chosen[torch.topk(pooled, count, largest=False).indices] = True
        rows, columns = -(-height // shape[0]), -(-width // shape[1])
        chosen = chosen.reshape(rows, columns).repeat_interleave(shape[0], 0).repeat_interleave(shape[1], 1)
        return chosen[:height, :width]

    def _within_blocks(self, norms: Tensor, shape: tuple[int, int], zeros: int) -> Tensor:
        """The elements of every block that are its `zeros` smallest."""
        height, width = norms.shape[-2:]
        padded = F.pad(norms[None, None], (0, -width % shape[1], 0, -height % shape[0]), value=float("nan"))
        blocks = F.unfold(padded, kernel_size=shape, stride=shape)
        smallest = torch.topk(blocks, zeros, dim=1, largest=False).indices
        chosen = torch.zeros_like(blocks).scatter(1, smallest, torch.ones_like(blocks))
        folded = F.fold(chosen, output_size=padded.shape[-2:], kernel_size=shape, stride=shape)
        return folded[0, 0, :height, :width] > 0

    def update_mask(
        self, module, tensor_name: str, sparsity_level: float, sparse_block_shape: tuple[int, int], zeros_per_block: int, **kwargs
    ) -> None:
        """Renews the mask of a matrix.

        Raises:
            ValueError: a block is to have more zeros than elements.
        """
        elements = sparse_block_shape[0] * sparse_block_shape[1]
        if zeros_per_block > elements:
            raise ValueError("Number of zeros per block cannot be more than the total number of elements in that block.")
        if zeros_per_block < 0:
            raise ValueError("Number of zeros per block should be positive.")
        mask = getattr(module.parametrizations, tensor_name)[0].mask
        if sparsity_level <= 0 or zeros_per_block == 0:
            mask.data = torch.ones_like(mask)
        elif sparsity_level >= 1.0 and zeros_per_block == elements:
            mask.data = torch.zeros_like(mask)
        else:
            norms = self.norm_fn(getattr(module, tensor_name))
            zeros = self._blocks(norms, sparse_block_shape, sparsity_level)
            if zeros_per_block < elements:
                zeros = zeros & self._within_blocks(norms, sparse_block_shape, zeros_per_block)
            mask.data = ~zeros


publish(globals())
