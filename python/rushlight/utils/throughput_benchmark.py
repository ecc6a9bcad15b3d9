"""``torch.utils.throughput_benchmark``: how often a module can be called in a second, by several threads at once."""

import random
import threading
import time
import warnings

from ..jit import ScriptModule
from ..nn import Module

__all__ = ["ExecutionStats", "ThroughputBenchmark", "format_time"]


def format_time(time_us=None, time_ms=None, time_s=None):
    """A time in the unit that suits it: ``1.500ms``."""
    given = [(time_us, 1.0), (time_ms, 1e3), (time_s, 1e6)]
    given = [value * unit for value, unit in given if value is not None]
    if len(given) != 1:
        raise AssertionError("Expected only one of time_us, time_ms, time_s is given.")
    microseconds = given[0]
    for unit, length in (("s", 1e6), ("ms", 1e3)):
        if microseconds >= length:
            return f"{microseconds / length:.3f}{unit}"
    return f"{microseconds:.3f}us"


class ExecutionStats:
    """What a benchmark measured."""

    def __init__(self, c_stats, benchmark_config):
        self._c_stats = c_stats
        self.benchmark_config = benchmark_config

    @property
    def latency_avg_ms(self):
        """How long a call took on average, in milliseconds."""
        return self._c_stats.latency_avg_ms

    @property
    def num_iters(self):
        """How many calls there were."""
        return self._c_stats.num_iters

    @property
    def iters_per_second(self):
        """How many calls there were in a second, by all threads together."""
        return self.num_iters / self.total_time_seconds

    @property
    def total_time_seconds(self):
        """How long all took."""
        return self.num_iters * (self.latency_avg_ms / 1000.0) / self.benchmark_config.num_calling_threads

    def __str__(self):
        lines = (
            "Average latency per example: " + format_time(time_ms=self.latency_avg_ms),
            f"Total number of iterations: {self.num_iters}",
            f"Total number of iterations per second (across all threads): {self.iters_per_second:.2f}",
            "Total time: " + format_time(time_s=self.total_time_seconds),
        )
        return "\n".join(lines)


class _Measured:
    """The figures of a run."""

    def __init__(self, latency_avg_ms, num_iters):
        self.latency_avg_ms, self.num_iters = latency_avg_ms, num_iters


class BenchmarkConfig:
    """How a benchmark runs."""

    def __init__(self, num_calling_threads, num_warmup_iters, num_iters, profiler_output_path):
        self.num_calling_threads, self.num_warmup_iters = num_calling_threads, num_warmup_iters
        self.num_iters, self.profiler_output_path = num_iters, profiler_output_path


class ThroughputBenchmark:
    """Calls a module on inputs that were added, from several threads, and measures.

    Args:
        module: what is called: an ``nn.Module``, also a scripted one.
    """

    def __init__(self, module):
        self._module = module
        self._inputs = []

    def run_once(self, *args, **kwargs):
        """Calls the module once."""
        return self._module(*args, **kwargs)

    def add_input(self, *args, **kwargs):
        """Adds the arguments of one call; calls draw one of those added."""
        self._inputs.append((args, kwargs))

    def benchmark(self, num_calling_threads=1, num_warmup_iters=10, num_iters=100, profiler_output_path=""):
        """Measures calls.

        Args:
            num_calling_threads: how many threads call at once.
            num_warmup_iters: how many calls each of them makes before.
            num_iters: how many calls are measured, of all threads together.
            profiler_output_path: where a profile of the calls is written; nowhere where it is empty.
        """
        config = BenchmarkConfig(num_calling_threads, num_warmup_iters, num_iters, profiler_output_path)
        if not self._inputs:
            raise RuntimeError("Please provide benchmark inputs.Did you forget to call add_input()? ")
        if isinstance(self._module, Module) and not isinstance(self._module, ScriptModule):
            warnings.warn(
                "Starting benchmark on an nn.Module. This can be slow due to Python GIL.For proper inference simulation you might want to "
                "switch to a ScriptModule instead", stacklevel=2,
            )  # fmt: skip
        if not profiler_output_path:
            return ExecutionStats(self._run(config), config)
        from ..autograd.profiler import profile

        with profile() as recorded:
            measured = self._run(config)
        recorded.export_chrome_trace(profiler_output_path)
        return ExecutionStats(measured, config)

    def _run(self, config):
        shares = [config.num_iters // config.num_calling_threads] * config.num_calling_threads
        shares[0] += config.num_iters - sum(shares)
        start = threading.Barrier(config.num_calling_threads + 1)
        failures = []
        threads = [threading.Thread(target=self._call, args=(config, share, start, failures)) for share in shares]
        for thread in threads:
            thread.start()
        try:
            start.wait()
        except threading.BrokenBarrierError:
            pass
        began = time.perf_counter()
        for thread in threads:
            thread.join()
        if failures:
            raise failures[0]
        spent = time.perf_counter() - began
        return _Measured(spent * 1000.0 * config.num_calling_threads / config.num_iters, config.num_iters)

    def _call(self, config, count, start, failures):
        draws = random.Random(0)
        calls = [draws.choice(self._inputs) for _ in range(config.num_warmup_iters + count)]
        try:
            for args, kwargs in calls[: config.num_warmup_iters]:
                self._module(*args, **kwargs)
            start.wait()
            for args, kwargs in calls[config.num_warmup_iters :]:
                self._module(*args, **kwargs)
        except threading.BrokenBarrierError:
            pass
        except Exception as error:
            failures.append(error)
            start.abort()
