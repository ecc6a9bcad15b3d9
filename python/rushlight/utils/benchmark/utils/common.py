"""What was measured, and how it is told."""

import contextlib
import dataclasses
import math
import statistics
import textwrap
from typing import Any, Optional

from .... import get_num_threads, set_num_threads

_MOST_FIGURES = 4
# No clock tells times of a statement apart that differ by less, in seconds.
_LEAST_UNCERTAINTY = 25e-9
# So many standard deviations hold nine of ten measurements.
_NINE_OF_TEN = 1.645
# Spreads of the middle half, as parts of the median, that are worth a word.
_SPREAD, _WIDE_SPREAD = 0.1, 0.25


def _named(name, text):
    """A text with its name: behind it, or below when it has several lines."""
    return f"{name}:\n{textwrap.indent(text, '  ')}" if "\n" in text else f"{name}: {text}"


@dataclasses.dataclass(init=True, repr=False, eq=True, frozen=True)
class TaskSpec:
    """What a timer runs, and what it is called."""

    stmt: str
    setup: str
    global_setup: str = ""
    label: Optional[str] = None
    sub_label: Optional[str] = None
    description: Optional[str] = None
    env: Optional[str] = None
    num_threads: int = 1

    @property
    def title(self):
        """The label, or else the statement, with the label below it."""
        if self.label is not None:
            head = self.label
        else:
            head = _named("stmt", self.stmt) if "\n" in self.stmt else self.stmt
        return head + (f": {self.sub_label}" if self.sub_label else "")

    @property
    def setup_str(self):
        """What runs first, if that is anything."""
        if not self.setup or self.setup == "pass":
            return ""
        return _named("setup", self.setup) + "\n" * ("\n" in self.setup)

    def summarize(self):
        """All of it as text."""
        title = self.title + "\n" * ("\n" in self.title)
        return "\n".join([title, *(part for part in (self.description, self.setup_str) if part)])


@dataclasses.dataclass(init=True, repr=False)
class Measurement:
    """Times of a statement: ``raw_times`` of all runs together in seconds, ``times`` per run.

    What its task is called can be asked here, too.
    """

    number_per_run: int
    raw_times: list
    task_spec: TaskSpec
    metadata: Optional[dict[Any, Any]] = None

    def __getattr__(self, name):
        if name in ("task_spec", "__setstate__"):
            raise AttributeError(name)
        return getattr(self.task_spec, name)

    @property
    def times(self):
        """The time of one run, for each round."""
        return [total / self.number_per_run for total in self.raw_times]

    mean = property(lambda self: sum(self.times) / len(self.times), doc="The mean of the times.")
    median = property(lambda self: statistics.median(self.times), doc="The median of the times.")

    @property
    def _quartiles(self):
        times = self.times
        return statistics.quantiles(times, n=4, method="inclusive") if len(times) > 1 else times * 3

    @property
    def iqr(self):
        """How far the middle half of the times spreads."""
        low, _, high = self._quartiles
        return high - low

    @property
    def significant_figures(self):
        """How many figures of the median can be trusted, by the spread of the middle half."""
        times = sorted(self.times)
        middle = times[len(times) // 4 : math.ceil(3 * len(times) / 4)]
        uncertainty = max(_NINE_OF_TEN * statistics.pstdev(middle) / math.sqrt(len(middle)), _LEAST_UNCERTAINTY)
        figures = math.floor(math.log10(self.median / uncertainty))
        return min(max(figures, 1), _MOST_FIGURES)

    def meets_confidence(self, threshold=_SPREAD):
        """Whether the middle half spreads by no more than this part of the median."""
        return self.iqr / self.median <= threshold

    has_warnings = property(lambda self: not self.meets_confidence(), doc="Whether the times spread too far.")
    title = property(lambda self: self.task_spec.title, doc="What was measured.")
    env = property(lambda self: self.task_spec.env, doc="Where it was measured.")
    as_row_name = property(lambda self: self.sub_label or self.stmt or "[Unknown]", doc="The name of its row in a table.")

    def __repr__(self):
        unit, scale = select_unit(self.median)
        several, rounds = len(self.raw_times) > 1, len(self.raw_times)
        lines = [object.__repr__(self), self.task_spec.summarize()]
        lines.append(f"  {'Median: ' if several else ''}{self.median / scale:.2f} {unit}")
        if rounds >= 4:
            low, _, high = self._quartiles
            lines.append(f"  IQR:    {self.iqr / scale:.2f} {unit} ({low / scale:.2f} to {high / scale:.2f})")
        per = "per measurement" if several else ""
        counted = f"{rounds} measurement{'s' * several}, {self.number_per_run} runs {per}"
        lines.append(f"  {counted}, {self.num_threads} thread{'s' * (self.num_threads > 1)}")
        if self.has_warnings:
            spread = self.iqr / self.median
            reason = "This suggests significant environmental influence." if spread >= _WIDE_SPREAD else "This could indicate system fluctuation."
            lines.append(f"  WARNING: Interquartile range is {spread * 100:.1f}% of the median measurement.\n           {reason}")
        return "\n".join(lines)

    @staticmethod
    def merge(measurements):
        """The measurements of the same task put together."""
        tasks = {}
        for measured in measurements:
            tasks.setdefault(measured.task_spec, []).append(measured)
        return [_together(task, parts) for task, parts in tasks.items()]


def _together(task, parts):
    return Measurement(parts[0].number_per_run, [time * parts[0].number_per_run for part in parts for time in part.times], task)


def select_unit(t):
    """The unit that tells a time in seconds best, and how many seconds it is."""
    unit = {-3: "ns", -2: "us", -1: "ms"}.get(int(math.log10(t) // 3), "s")
    return unit, {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}[unit]


def unit_to_english(u):
    """The unit as a word."""
    return {"ns": "nanosecond", "us": "microsecond", "ms": "millisecond", "s": "second"}[u]


def trim_sigfig(x, n):
    """A number with so many figures, as floats of 32 bits have it."""
    import struct

    scale = 10 ** (math.ceil(math.log10(abs(x))) - n)
    return struct.unpack("f", struct.pack("f", round(x / scale) * scale))[0]


def ordered_unique(elements):
    """The elements without repeats, in the order in which they came."""
    return list(dict.fromkeys(elements))


@contextlib.contextmanager
def set_torch_threads(n):
    """So many threads for operators, for a while."""
    before = get_num_threads()
    set_num_threads(n)
    try:
        yield
    finally:
        set_num_threads(before)
