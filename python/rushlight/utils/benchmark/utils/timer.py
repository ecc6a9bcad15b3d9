"""Statements that are run again and again."""

import enum
import sys
import textwrap
import time
import timeit as _timeit

from . import common

timer = time.perf_counter


class Language(enum.Enum):
    """What statements are written in."""

    PYTHON = 0
    CPP = 1


def _language(given):
    if isinstance(given, Language):
        return given
    found = {"py": Language.PYTHON, "python": Language.PYTHON, "cpp": Language.CPP, "c++": Language.CPP}.get(given)
    if found is None:
        raise ValueError(f"Invalid language `{given}`.")
    return found


class Timer:
    """Measures a statement in Python.

    Args:
        stmt, setup: what is run, and what once before each round. globals: the names that both see.
        label, sub_label, description, env: what it is called. num_threads: how many threads operators may use meanwhile.
    """

    def __init__(
        self, stmt="pass", setup="pass", global_setup="", timer=timer, globals=None, label=None, sub_label=None, description=None, env=None,
        num_threads=1, language=Language.PYTHON,
    ):
        if not isinstance(stmt, str):
            raise ValueError("Currently only a `str` stmt is supported.")
        if _language(language) is Language.CPP:
            raise NotImplementedError("torch.utils.benchmark.Timer: statements are in Python; nothing is compiled here")
        if global_setup:
            raise ValueError(f"global_setup is C++ only, got `{global_setup}`. Most likely this code can simply be moved to `setup`.")
        names = dict(globals or {})
        names.setdefault("torch", sys.modules[__name__.partition(".")[0]])
        stmt, setup = textwrap.dedent(stmt).strip(), textwrap.dedent(setup).strip()
        self._task_spec = common.TaskSpec(stmt, setup, global_setup, label, sub_label, description, env, num_threads)
        self._timer = _timeit.Timer(stmt, setup, timer, names)

    def _round(self, number):
        with common.set_torch_threads(self._task_spec.num_threads):
            return self._timer.timeit(number)

    def _made(self, number, times):
        return common.Measurement(number, times, self._task_spec)

    def timeit(self, number=1000000):
        """The time of a number of runs."""
        self._round(max(number // 100, 2))
        return self._made(number, [self._round(number)])

    def repeat(self, repeat=-1, number=-1):
        """Not in this form: ``blocked_autorange`` has rounds."""
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def autorange(self, callback=None):
        """Not in this form: ``blocked_autorange`` has rounds."""
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def _enough(self, min_run_time):
        """How many runs make a round that the clock can tell."""
        number = 1
        while True:
            took = self._round(number)
            if took >= min_run_time / 1000 or took >= 0.01:
                return number
            number *= 10

    def _told(self, number, callback):
        """The time of a round, which the callback is told."""
        took = self._round(number)
        if callback is not None:
            callback(number, took)
        return took

    def blocked_autorange(self, callback=None, min_run_time=0.2):
        """Rounds of runs for at least this many seconds."""
        number = self._enough(min_run_time)
        times = []
        while sum(times) < min_run_time:
            times.append(self._told(number, callback))
        return self._made(number, times)

    def adaptive_autorange(self, threshold=0.1, *, min_run_time=0.01, max_run_time=10.0, callback=None):
        """Rounds of runs until the times spread by less than this part of their median."""
        number = self._enough(min_run_time)
        times = []
        while sum(times) < max_run_time:
            times.append(self._told(number, callback))
            measured = self._made(number, times)
            if len(times) >= 3 and sum(times) >= min_run_time and measured.meets_confidence(threshold):
                break
        return self._made(number, times)
