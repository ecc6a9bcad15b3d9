"""When parameters are averaged over processes."""

from abc import ABC, abstractmethod

from .... import distributed as dist
from . import utils

__all__ = ["ModelAverager", "PeriodicModelAverager"]


class ModelAverager(ABC):
    """Averages parameters over the processes of a group; all of them unless one is given."""

    def __init__(self, process_group=None):
        self.process_group = dist.group.WORLD if process_group is None else process_group
        if self.process_group is None:
            raise TypeError("Invariant encountered: value was None when it should not be")
        self.step = 0

    @abstractmethod
    def average_parameters(self, params):
        """Takes part in a step."""


class PeriodicModelAverager(ModelAverager):
    """Averages parameters each ``period`` steps, after ``warmup_steps`` without."""

    def __init__(self, period, warmup_steps=0, process_group=None):
        super().__init__(process_group)
        if warmup_steps < 0:
            raise ValueError("Arg ``warmup_steps`` must be a non-negative number.")
        self.warmup_steps = warmup_steps
        if period < 1:
            raise ValueError("Arg ``period`` must be a positive value.")
        self.period = period

    def average_parameters(self, params):
        """Averages parameters (or those of the groups of an optimizer) where it is time, and counts the step."""
        if self.step >= self.warmup_steps and (self.step - self.warmup_steps) % self.period == 0:
            utils.average_parameters_or_parameter_groups(params, self.process_group)
        self.step += 1
