"""What ``torch.autograd.profiler`` has for Python alone: profiles of operators."""

import sys
from time import perf_counter_ns

from .. import _rushlight
from . import profiler_util


def _program_stack():
    """The calls of the program that are running, innermost first; the library's own are left out."""
    own = __name__.partition(".")[0]
    found = []
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_globals.get("__name__", "").partition(".")[0] != own:
            code = frame.f_code
            found.append(f"{code.co_filename}({frame.f_lineno}): {code.co_name}")
        frame = frame.f_back
    return found


_rushlight.register("profile_stack", _program_stack)


# How many profiles are being recorded.
_running = [0]


def is_on():
    """Whether one is being recorded."""
    return _running[0] > 0


class profile:
    """Measures the operators that a block calls, on the thread that enters it.

    ``with torch.autograd.profiler.profile() as prof: ...``, then ``prof.key_averages().table(sort_by="cpu_time_total")``. An event is
    a call of an operator (by the reference's name; one that is made of others in the reference is one event where it is one
    kernel here), a range of :class:`record_function`, a node of a run backwards or a call of a compiled function.

    Args:
        enabled: False makes the block do nothing.
        use_device: another device to be measured; there is none.
        record_shapes: whether sizes of arguments are kept.
        with_flops: whether arithmetic operations of products, sums and multiplications are counted.
        profile_memory: whether the bytes of new results are counted.
        with_stack: whether places of the program are kept.
        with_modules, use_kineto, use_cpu, experimental_config, custom_trace_id_callback: taken, and without a meaning.
        acc_events: whether events of several runs add up.
    """

    def __init__(
        self, enabled=True, *, use_device=None, record_shapes=False, with_flops=False, profile_memory=False, with_stack=False,
        with_modules=False, use_kineto=False, use_cpu=True, experimental_config=None, acc_events=False,
        custom_trace_id_callback=None, post_processing_timeout_s=None,
    ):
        self.enabled = enabled
        if not enabled:
            return
        self.use_device, self.record_shapes, self.with_flops = use_device, record_shapes or with_flops, with_flops
        self.profile_memory, self.with_stack, self.with_modules = profile_memory, with_stack, with_modules
        self.use_cpu, self.acc_events, self.entered = use_cpu, acc_events, False
        self.profiling_start_time_ns = self.profiling_end_time_ns = 0
        self.function_events = self._measured = None
        self._kept = []

    def __enter__(self):
        if not self.enabled:
            return None
        if self.entered:
            raise RuntimeError("Profiler context manager is not reentrant")
        self.entered = True
        self._start()
        return self

    def _start(self):
        # Sizes say which product a `matmul` is.
        self._measured = _rushlight.Profile(True, self.profile_memory, self.with_stack)
        self.profiling_start_time_ns = perf_counter_ns()
        self._measured.start()
        _running[0] += 1

    def __exit__(self, exc_type, exc_val, exc_tb):
        if not self.enabled:
            return None
        self._measured.stop()
        _running[0] -= 1
        self.profiling_end_time_ns = perf_counter_ns()
        rows = self._measured.events()
        if self.acc_events:
            base = len(self._kept)
            self._kept += [row[:2] + (None if row[2] is None else row[2] + base,) + row[3:] for row in rows]
            rows = self._kept
        self._measured = None
        self.function_events = profiler_util.events_of(
            rows, profile_memory=self.profile_memory, with_flops=self.with_flops, with_stack=self.with_stack,
            with_shapes=self.record_shapes,
        )
        return False

    def _finished(self):
        """The events; none before the end."""
        return profiler_util.EventList() if self.function_events is None else self.function_events

    def __repr__(self):
        return "<unfinished torch.autograd.profile>" if self.function_events is None else repr(self.function_events)

    def __str__(self):
        return "<unfinished torch.autograd.profile>" if self.function_events is None else str(self.function_events)

    def table(self, sort_by=None, row_limit=100, max_src_column_width=75, max_name_column_width=55, max_shapes_column_width=80,
              header=None, top_level_events_only=False):
        """The events as a table; see :meth:`EventList.table`."""
        return self._finished().table(
            sort_by=sort_by, row_limit=row_limit, max_src_column_width=max_src_column_width,
            max_name_column_width=max_name_column_width, max_shapes_column_width=max_shapes_column_width, header=header,
            top_level_events_only=top_level_events_only,
        )

    def export_chrome_trace(self, path):
        """Writes a trace that ``chrome://tracing`` and Perfetto show."""
        self._finished().export_chrome_trace(path)

    def export_stacks(self, path, metric="self_cpu_time_total"):
        """Writes stacks and times, as flame graphs are drawn from."""
        events = self._finished()
        if not self.with_stack:
            raise AssertionError("export_stacks() requires with_stack=True")
        return events.export_stacks(path, metric)

    def key_averages(self, group_by_input_shape=False, group_by_stack_n=0, group_by_overload_name=False, include_python_functions=False):
        """The calls of each name together; see :meth:`EventList.key_averages`."""
        return self._finished().key_averages(group_by_input_shape, group_by_stack_n, group_by_overload_name, include_python_functions)

    def total_average(self):
        """All events together."""
        return self._finished().total_average()

    @property
    def self_cpu_time_total(self):
        """The time of all events, each for itself, in microseconds."""
        return self._finished().self_cpu_time_total


class emit_nvtx:
    """Marks operators for tools of NVIDIA, which need a device: entering one that is enabled raises."""

    def __init__(self, enabled=True, record_shapes=False):
        self.enabled = enabled

    def __enter__(self):
        if not self.enabled:
            return None
        raise RuntimeError(f"torch.autograd.profiler.{type(self).__name__}: there is no device whose tools could read marks")

    def __exit__(self, exc_type, exc_val, exc_tb):
        return False


class emit_itt(emit_nvtx):
    """Marks operators for tools of Intel: entering one that is enabled raises."""


def kineto_available():
    """Whether operators can be measured: yes."""
    return True
