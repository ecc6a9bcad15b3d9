"""``torch.profiler.profiler``: where the reference has profiles."""

from . import (  # noqa: F401
    ExecutionTraceObserver, ProfilerAction, ProfilerActivity, _default_schedule_fn, _KinetoProfile, profile, schedule,
    supported_activities, tensorboard_trace_handler,
)
