"""Keeps what lies near the diagonal."""

import rushlight as torch

from ...._library import publish
from .base_sparsifier import BaseSparsifier

__all__ = ["NearlyDiagonalSparsifier"]


class NearlyDiagonalSparsifier(BaseSparsifier):
    """Everything is zero but the diagonal and its neighbours.

    Args:
        nearliness: how many diagonals there are, an odd number.
    """

    def __init__(self, nearliness: int = 1):
        super().__init__(defaults={"nearliness": nearliness})

    def update_mask(self, module, tensor_name: str, nearliness: int, **kwargs) -> None:
        """Renews the mask of a matrix.

        Raises:
            ValueError: the number of diagonals is even, or larger than the matrix.
        """
        mask = getattr(module.parametrizations, tensor_name)[0].mask
        mask.data = torch.zeros_like(mask)
        if nearliness <= 0:
            return
        height, width = getattr(module, tensor_name).shape
        if nearliness % 2 == 0:
            raise ValueError("nearliness can only be an odd number")
        distance = nearliness // 2
        if distance >= min(height, width):
            raise ValueError("nearliness cannot be larger than the dimensions of tensor.")
        for row in range(height):
            mask[row, max(0, row - distance) : min(width, row + distance + 1)].fill_(1)


publish(globals())
