"""``torch.profiler``: marks for profilers, and their names. Operators are not measured: a profile that is begun says so."""

import enum

from ..autograd.profiler import record_function  # noqa: F401

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


def _refuse(name):
    raise NotImplementedError(f"{name}: Rushlight does not measure operators; cProfile and time.perf_counter measure programs")


class profile:
    """Measures operators. That is not part of this version: entering or starting one raises ``NotImplementedError``."""

    def __init__(self, *, activities=None, schedule=None, on_trace_ready=None, **options):
        self.activities, self.schedule, self.on_trace_ready = activities, schedule, on_trace_ready

    def start(self):
        """Is not part of this version."""
        _refuse("torch.profiler.profile")

    __enter__ = start

    def __exit__(self, *_):
        return None


class ExecutionTraceObserver:
    """Writes what runs to a file. Not part of this version: registering one raises ``NotImplementedError``."""

    def register_callback(self, output_file_path):
        """Is not part of this version."""
        _refuse("torch.profiler.ExecutionTraceObserver")


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

    return action


def tensorboard_trace_handler(dir_name, worker_name=None, use_gzip=False):
    """What writes a profile for TensorBoard: there are no profiles to write."""
    return lambda profile: _refuse("torch.profiler.tensorboard_trace_handler")


def supported_activities():
    """What can be looked at: nothing."""
    return set()


def kineto_available():
    """Whether there is the reference's library of profiles: no."""
    return False


def is_fbcode():
    """Whether this is one company's own build: no."""
    return False
