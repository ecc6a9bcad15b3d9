"""Statements that are run again and again, and how long that took."""

import statistics
import time
import timeit as _timeit

from ... import get_num_threads, set_num_threads

timer = time.perf_counter


class Measurement:
    """Times of a statement: ``times`` per run in seconds, ``raw_times`` of all runs together."""

    def __init__(self, number_per_run, raw_times, description, num_threads=1):
        self.number_per_run, self.raw_times, self.description, self.num_threads = number_per_run, list(raw_times), description, num_threads

    @property
    def times(self):
        """The time of one run, for each round."""
        return [total / self.number_per_run for total in self.raw_times]

    mean = property(lambda self: statistics.fmean(self.times), doc="The mean of the times.")
    median = property(lambda self: statistics.median(self.times), doc="The median of the times.")

    @property
    def iqr(self):
        """How far the middle half of the times spreads."""
        if len(self.times) < 2:
            return 0.0
        low, _, high = statistics.quantiles(self.times, n=4, method="inclusive")
        return high - low

    def __repr__(self):
        for unit, factor in (("s", 1), ("ms", 1e3), ("us", 1e6), ("ns", 1e9)):
            if self.median * factor >= 1:
                break
        rounds, threads = len(self.raw_times), f"{self.num_threads} thread" + "s" * (self.num_threads > 1)
        kind = "Median" if rounds > 1 else "Time"
        count = f"{rounds} measurement" + "s" * (rounds > 1)
        head = f"<torch.utils.benchmark.utils.common.Measurement object at {id(self):#x}>"
        return f"{head}\n{self.description}\n  {kind}: {self.median * factor:.2f} {unit}\n  {count}, {self.number_per_run} runs per measurement, {threads}"


class Timer:
    """Measures a statement in Python.

    Args:
        stmt, setup: what is run, and what once before each round. globals: the names that both see.
        label, sub_label, description: what it is called. num_threads: how many threads operators may use meanwhile.
    """

    def __init__(
        self, stmt="pass", setup="pass", global_setup="", timer=timer, globals=None, label=None, sub_label=None, description=None, env=None,
        num_threads=1, language="python",
    ):
        if str(language).lower().rpartition(".")[2] not in ("python", "py"):
            raise NotImplementedError("torch.utils.benchmark.Timer: statements are in Python; nothing is compiled here")
        self.num_threads = num_threads
        self._description = "\n".join(part for part in (label or stmt, sub_label, description) if part)
        self._timer = _timeit.Timer(stmt, setup, timer, dict(globals or {}))

    def _round(self, number):
        before = get_num_threads()
        set_num_threads(self.num_threads)
        try:
            return self._timer.timeit(number)
        finally:
            set_num_threads(before)

    def _made(self, number, times):
        return Measurement(number, times, self._description, self.num_threads)

    def timeit(self, number=1000000):
        """The time of a number of runs."""
        self._round(max(number // 100, 2))
        return self._made(number, [self._round(number)])

    def _enough(self, min_run_time):
        """How many runs make a round that the clock can tell."""
        number = 1
        while True:
            took = self._round(number)
            if took >= min_run_time / 1000 or took >= 0.01:
                return number
            number *= 10

    def blocked_autorange(self, callback=None, min_run_time=0.2):
        """Rounds of runs for at least this many seconds."""
        number = self._enough(min_run_time)
        times = []
        while sum(times) < min_run_time:
            times.append(self._round(number))
            if callback is not None:
                callback(number, times[-1])
        return self._made(number, times)

    def adaptive_autorange(self, threshold=0.1, *, min_run_time=0.01, max_run_time=10.0, callback=None):
        """Rounds of runs until the times spread by less than this part of their median."""
        number = self._enough(min_run_time)
        times = []
        while sum(times) < max_run_time:
            times.append(self._round(number))
            if callback is not None:
                callback(number, times[-1])
            measured = self._made(number, times)
            if len(times) >= 3 and sum(times) >= min_run_time and measured.iqr < threshold * measured.median:
                break
        return self._made(number, times)
