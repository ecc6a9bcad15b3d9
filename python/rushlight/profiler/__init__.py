"""``torch.profiler``: what the operators of a program take.

``with profile(record_shapes=True) as prof: ...`` measures the thread that enters the block. Operators that the reference makes of others
are one event where they are one kernel here; nothing else differs in names and counts.
"""

import enum
import json
import os
import socket
import time
import warnings

from .._once import warn_once
from ..autograd import _measuring
from ..autograd.profiler import kineto_available, record_function  # noqa: F401

__all__ = [
    "ProfilerAction", "ProfilerActivity", "ExecutionTraceObserver", "kineto_available", "profile", "record_function", "schedule",
    "supported_activities", "tensorboard_trace_handler", "is_fbcode",
]


class ProfilerActivity(enum.Enum):
    """What a profile may look at."""

    CPU = 0
    XPU = 1
    MTIA = 2
    CUDA = 3
    HPU = 4
    PrivateUse1 = 5


class ProfilerAction(enum.Enum):
    """What a profile does with a step."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3
    DEVICE_STOPPED = 4


class _KinetoProfile:
    """A profile that is begun and ended by hand."""

    def __init__(
        self, *, activities=None, record_shapes=False, profile_memory=False, with_stack=False, with_flops=False, with_modules=False,
        experimental_config=None, execution_trace_observer=None, acc_events=False, custom_trace_id_callback=None,
        post_processing_timeout_s=None,
    ):
        self.activities = supported_activities() if activities is None else set(activities)
        if not self.activities & supported_activities():
            raise AssertionError("No valid profiler activities found")
        if execution_trace_observer is not None:
            execution_trace_observer.register_callback(None)
        self.record_shapes, self.profile_memory, self.with_stack = record_shapes, profile_memory, with_stack
        self.with_flops, self.with_modules, self.acc_events = with_flops, with_modules, acc_events
        self.experimental_config, self.use_device, self.profiler = experimental_config, None, None
        self._metadata = {}

    def start(self):
        """Measures from here on."""
        self.prepare_trace()
        self.start_trace()

    def stop(self):
        """Measures no more."""
        self.stop_trace()

    def prepare_trace(self):
        """Makes the profile ready to begin."""
        if self.profiler is not None and not self.acc_events:
            warn_once(
                "Warning: Profiler clears events at the end of each cycle. Only events from the current cycle will be reported. To keep "
                "events across cycles, set acc_events=True."
            )  # fmt: skip
        if self.profiler is None or not self.acc_events:
            self.profiler = _measuring.profile(
                record_shapes=self.record_shapes, with_flops=self.with_flops, profile_memory=self.profile_memory,
                with_stack=self.with_stack, acc_events=self.acc_events,
            )
        self.profiler.entered = False

    def start_trace(self):
        """Begins."""
        self._begun("starting trace").__enter__()

    def stop_trace(self):
        """Ends."""
        self._begun("stopping trace").__exit__(None, None, None)

    def _begun(self, what):
        if self.profiler is None:
            raise AssertionError(f"Profiler must be initialized before {what}")
        return self.profiler

    def export_chrome_trace(self, path):
        """Writes a trace that ``chrome://tracing`` and Perfetto show; compressed where the path ends in ``.gz``."""
        events = self._begun("exporting chrome trace")._finished()
        trace = {
            "schemaVersion": 1, "deviceProperties": [], "host_name": socket.gethostname(), **self._metadata,
            "displayTimeUnit": "ms", "traceEvents": events._trace_events(), "traceName": path,
        }
        if str(path).endswith(".gz"):
            import gzip

            with gzip.open(path, "wt") as file:
                json.dump(trace, file)
        else:
            with open(path, "w") as file:
                json.dump(trace, file)

    def export_stacks(self, path, metric="self_cpu_time_total"):
        """Writes stacks and times, as flame graphs are drawn from."""
        return self._begun("exporting stacks").export_stacks(path, metric)

    def key_averages(self, group_by_input_shape=False, group_by_stack_n=0, group_by_overload_name=False, include_python_functions=False):
        """The calls of each name together; see ``EventList.key_averages``."""
        profiler = self._begun("getting key averages")
        return profiler.key_averages(group_by_input_shape, group_by_stack_n, group_by_overload_name, include_python_functions)

    def events(self):
        """All events, in the order in which they began."""
        return self._begun("accessing events")._finished()

    def add_metadata(self, key, value):
        """Adds a text to the trace that is written."""
        self._metadata[key] = value

    def add_metadata_json(self, key, value):
        """Adds what is written as JSON to the trace that is written."""
        self._metadata[key] = json.loads(value)

    preset_metadata_json = add_metadata_json

    def toggle_collection_dynamic(self, enable, activities):
        """Is not part of this version: a profile measures from its start to its stop."""
        raise NotImplementedError("torch.profiler.profile.toggle_collection_dynamic is not part of Rushlight")

    def export_memory_timeline(self, path, device=None):
        """Is not part of this version: ``profile_memory`` counts bytes by operator."""
        raise NotImplementedError("torch.profiler.profile.export_memory_timeline is not part of Rushlight")


# What changes between two steps: (what a step did, what the next does) and the methods that are called in order.
_NONE, _WARMUP, _RECORD, _SAVE = ProfilerAction.NONE, ProfilerAction.WARMUP, ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE
_CHANGES = {
    (_NONE, _WARMUP): ("prepare_trace",),
    (_NONE, _RECORD): ("prepare_trace", "start_trace"),
    (_NONE, _SAVE): ("prepare_trace", "start_trace"),
    (_WARMUP, _RECORD): ("start_trace",),
    (_WARMUP, _SAVE): ("start_trace",),
    (_RECORD, _NONE): ("stop_trace",),
    (_RECORD, _WARMUP): ("stop_trace", "prepare_trace"),
    (_SAVE, _NONE): ("stop_trace", "_trace_ready"),
    (_SAVE, _WARMUP): ("stop_trace", "_trace_ready", "prepare_trace"),
    (_SAVE, _RECORD): ("stop_trace", "_trace_ready", "prepare_trace", "start_trace"),
    (_SAVE, _SAVE): ("stop_trace", "_trace_ready", "prepare_trace", "start_trace"),
    (_RECORD, None): ("stop_trace", "_trace_ready"),
    (_SAVE, None): ("stop_trace", "_trace_ready"),
}


def _default_schedule_fn(_):
    """Every step is recorded."""
    return ProfilerAction.RECORD


class profile(_KinetoProfile):
    """Measures what a block does, or some of the steps that it tells of by ``step()``.

    Args:
        activities: what is measured: ``ProfilerActivity.CPU`` is all there is.
        schedule: a function from the number of a step to what is done with it; see :func:`schedule`.
        on_trace_ready: called with the profile when steps have been measured.
        record_shapes: whether sizes of arguments are kept.
        profile_memory: whether the bytes of new results are counted.
        with_stack: whether places of the program are kept.
        with_flops: whether arithmetic operations of products, sums and multiplications are counted.
        acc_events: whether events of several cycles add up.
    """

    def __init__(
        self, *, activities=None, schedule=None, on_trace_ready=None, record_shapes=False, profile_memory=False, with_stack=False,
        with_flops=False, with_modules=False, experimental_config=None, execution_trace_observer=None, acc_events=False,
        custom_trace_id_callback=None, post_processing_timeout_s=None,
    ):
        super().__init__(
            activities=activities, record_shapes=record_shapes, profile_memory=profile_memory, with_stack=with_stack,
            with_flops=with_flops, with_modules=with_modules, experimental_config=experimental_config,
            execution_trace_observer=execution_trace_observer, acc_events=acc_events,
            custom_trace_id_callback=custom_trace_id_callback, post_processing_timeout_s=post_processing_timeout_s,
        )
        self.schedule, self.record_steps = schedule or _default_schedule_fn, schedule is not None
        if schedule is not None and getattr(schedule, "warmup", 1) == 0:
            warnings.warn("Profiler won't be using warmup, this can skew profiler results", stacklevel=2)
        self.on_trace_ready = on_trace_ready
        self.step_num = 0
        self.current_action = self.schedule(0)
        self.step_rec_fn = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, exc_type, exc_val, exc_tb):
        self.stop()

    def start(self):
        """Begins with the first step."""
        self._change(_NONE, self.current_action)
        self._begin_step()

    def stop(self):
        """Ends the last step."""
        self._end_step()
        self._change(self.current_action, None)

    def step(self):
        """Ends a step and begins the next."""
        self._end_step()
        before = self.current_action
        self.step_num += 1
        self.current_action = self.schedule(self.step_num)
        if self.profiler is not None or before is _NONE:
            self._change(before, self.current_action)
        self._begin_step()

    def _begin_step(self):
        if self.record_steps:
            self.step_rec_fn = record_function("ProfilerStep*")
            self.step_rec_fn.__enter__()

    def _end_step(self):
        if self.step_rec_fn is not None:
            self.step_rec_fn.__exit__(None, None, None)
            self.step_rec_fn = None

    def _change(self, before, after):
        for name in _CHANGES.get((before, after), ()):
            getattr(self, name)()

    def _trace_ready(self):
        if self.on_trace_ready is not None:
            self.on_trace_ready(self)


class ExecutionTraceObserver:
    """Writes what runs to a file. Not part of this version: registering one raises ``NotImplementedError``."""

    def register_callback(self, output_file_path):
        """Is not part of this version."""
        raise NotImplementedError("torch.profiler.ExecutionTraceObserver is not part of Rushlight; torch.profiler.profile measures operators")


def schedule(*, wait, warmup, active, repeat=0, skip_first=0, skip_first_wait=0):
    """A function from the number of a step to what a profile does with it: waits, warms up, records, over and over.

    Args:
        wait, warmup, active: how many steps of each there are in a cycle.
        repeat: how many cycles; 0 for no end.
        skip_first: steps before the first cycle.
        skip_first_wait: whether the first cycle has no waiting.
    """
    if min(wait, warmup, repeat, skip_first) < 0 or active <= 0:
        raise AssertionError(
            f"Invalid profiler schedule arguments. Got wait={wait} (need >= 0), warmup={warmup} (need >= 0), active={active} "
            f"(need > 0), repeat={repeat} (need >= 0), skip_first={skip_first} (need >= 0)."
        )

    def action(step):
        if step < 0:
            raise AssertionError(f"Step must be non-negative. Got {step}.")
        if step < skip_first:
            return ProfilerAction.NONE
        step -= skip_first
        if skip_first_wait:
            step += wait
        cycle, place = divmod(step, wait + warmup + active)
        if repeat and cycle >= repeat or place < wait:
            return ProfilerAction.NONE
        if place < wait + warmup:
            return ProfilerAction.WARMUP
        last = place == wait + warmup + active - 1
        return ProfilerAction.RECORD_AND_SAVE if last else ProfilerAction.RECORD

    action.warmup = warmup
    return action


def tensorboard_trace_handler(dir_name, worker_name=None, use_gzip=False, use_python_export=False):
    """What ``on_trace_ready`` may be: it writes each trace into a folder, as ``WORKER.TIME.pt.trace.json``."""

    def handle(profile):
        worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"
        try:
            os.makedirs(dir_name, exist_ok=True)
        except OSError as error:
            raise RuntimeError("Can't create directory: " + dir_name) from error
        name = f"{worker}.{time.time_ns()}.pt.trace.json" + (".gz" if use_gzip else "")
        profile.export_chrome_trace(os.path.join(dir_name, name))

    return handle


def supported_activities():
    """What can be measured."""
    return {ProfilerActivity.CPU}


def is_fbcode():
    """Whether this is one company's own build: no."""
    return False

from . import profiler  # noqa: E402, F401  it is made of the names above
