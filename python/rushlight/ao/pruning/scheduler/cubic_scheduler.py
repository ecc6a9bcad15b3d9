"""Levels of sparsity that rise fast in the beginning: Zhu and Gupta, "To prune, or not to prune", 2017, equation 1."""

import warnings

from ...._library import publish
from .base_scheduler import BaseScheduler

__all__ = ["CubicSL"]


class CubicSL(BaseScheduler):
    """From a first level to the sparsifier's own, as a cubic function of the step.

    Args:
        sparsifier: the sparsifier.
        init_sl: the first level, or one for every group.
        init_t: the step at which levels begin to rise.
        delta_t: how many steps a stage has.
        total_t: how many stages there are.
        initially_zero: levels are zero before they begin to rise.
        last_epoch: the steps that have been.
        verbose: prints every change.
    """

    def __init__(
        self, sparsifier, init_sl=0.0, init_t=0, delta_t=10, total_t=100, initially_zero=False, last_epoch=-1, verbose=False
    ):
        self.sparsifier = sparsifier
        self.init_sl = self._make_sure_a_list(init_sl)
        self.init_t = self._make_sure_a_list(init_t)
        self.delta_t = self._make_sure_a_list(delta_t)
        self.total_t = self._make_sure_a_list(total_t)
        self.initially_zero = self._make_sure_a_list(initially_zero)
        super().__init__(sparsifier, last_epoch, verbose)

    @staticmethod
    def sparsity_compute_fn(s_0, s_f, t, t_0, dt, n, initially_zero=False):
        """The level at step `t` on the way from `s_0` to `s_f`."""
        if initially_zero and t < t_0:
            return 0
        level = s_f + (s_0 - s_f) * (1.0 - (t - t_0) / (dt * n)) ** 3
        return max(s_0, min(s_f, level))

    def get_sl(self):
        """The levels of this step."""
        if not self._get_sl_called_within_step:
            warnings.warn(
                "To get the last sparsity level computed by the scheduler, please use `get_last_sl()`.", stacklevel=2
            )
        rows = zip(self.init_sl, self.base_sl, self.init_t, self.delta_t, self.total_t, self.initially_zero)
        return [
            self.sparsity_compute_fn(first, last, self.last_epoch, begin, stage, stages, zero)
            for first, last, begin, stage, stages, zero in rows
        ]


publish(globals())
