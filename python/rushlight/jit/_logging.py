"""``torch.jit._logging``: counters of scripts, which a logger keeps while it is the one that is set."""

import enum

from .. import _rushlight
from .._namespaces import NAMESPACES

LockingLogger = _rushlight.LockingLogger


class NoopLogger:
    """Counts nothing."""


class AggregationType(enum.Enum):
    """What becomes of the values that are added to a counter: their sum, or their mean rounded towards zero."""

    SUM = 0
    AVG = 1

    def __str__(self):
        return f"AggregationType.{self.name}"


def _set_aggregation_type(self, name, kind):
    """Says what becomes of the values of a counter."""
    self._set_average(name, AggregationType(kind) is AggregationType.AVG)


LockingLogger.set_aggregation_type = _set_aggregation_type
for _class in (NoopLogger, AggregationType):
    _class.__module__ = "torch"

# Adds to a counter, and the time in nanoseconds, as operators: traces and scripts have both.
add_stat_value = NAMESPACES["ops"].prim.AddStatValue
time_point = NAMESPACES["ops"].prim.TimePoint

_logger = NoopLogger()


def set_logger(logger):
    """Chooses who counts; returns the one before."""
    global _logger
    if not isinstance(logger, (LockingLogger, NoopLogger)):
        raise TypeError(f"a logger is needed, not {type(logger).__name__}")
    before, _logger = _logger, logger
    _rushlight.set_counters(logger if isinstance(logger, LockingLogger) else None)
    return before
