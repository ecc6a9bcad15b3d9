"""Levels of sparsity by functions of the step."""

import warnings
from typing import Callable, Union

from ...._library import publish
from ..sparsifier.base_sparsifier import BaseSparsifier
from .base_scheduler import BaseScheduler

__all__ = ["LambdaSL"]


class LambdaSL(BaseScheduler):
    """Every level is the first one times a function of the step.

    Args:
        sparsifier: the sparsifier.
        sl_lambda: a function, or one for every group.
        last_epoch: the steps that have been.
        verbose: prints every change.

    Raises:
        ValueError: there are more or fewer functions than groups.
    """

    def __init__(
        self,
        sparsifier: BaseSparsifier,
        sl_lambda: Union[Callable[[int], float], list[Callable[[int], float]]],
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        self.sparsifier = sparsifier
        if not isinstance(sl_lambda, (list, tuple)):
            self.sl_lambdas = [sl_lambda] * len(sparsifier.groups)
        else:
            if len(sl_lambda) != len(sparsifier.groups):
                raise ValueError(f"Expected {len(sparsifier.groups)} lr_lambdas, but got {len(sl_lambda)}")
            self.sl_lambdas = list(sl_lambda)
        super().__init__(sparsifier, last_epoch, verbose)

    def get_sl(self) -> list[float]:
        """The levels of this step."""
        if not self._get_sl_called_within_step:
            warnings.warn(
                "To get the last sparsity level computed by the scheduler, please use `get_last_sl()`.", stacklevel=2
            )
        return [base * function(self.last_epoch) for function, base in zip(self.sl_lambdas, self.base_sl)]


publish(globals())
