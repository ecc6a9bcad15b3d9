"""Tables of profiles, traces that are written, and what a profile refuses."""
import json
import os
import tempfile

import torch
from torch.autograd.profiler_util import EventList, FunctionEvent
from torch.profiler import profile, schedule, supported_activities, tensorboard_trace_handler

events = EventList(
    [
        FunctionEvent(1, "aten::mm", 1, 0.0, 1500.0, input_shapes=[[2, 3], [3, 4]], cpu_memory_usage=2048, stack=[]),
        FunctionEvent(2, "aten::add", 1, 100.0, 350.5, input_shapes=[[2, 4], [], []], cpu_memory_usage=32, stack=[]),
        FunctionEvent(3, "aten::add", 1, 2000.0, 2000.25, input_shapes=[[2, 4], [2, 4], []], stack=[]),
        FunctionEvent(4, "a range of the program", 1, 3000.0, 2503000.0, input_shapes=[], stack=[]),
    ],
    profile_memory=True,
)
events._build_tree()
averages = events.key_averages()
print(averages.table(sort_by="cpu_time_total", row_limit=2))
print(averages.table(sort_by="count", header="A title"))
print(events.key_averages(group_by_input_shapes=True).table(sort_by="self_cpu_time_total", max_name_column_width=16))
print(averages.table(top_level_events_only=True))
print(averages.table(sort_by="cpu_memory_usage", time_unit="ms"))
for event in averages:
    print(event.key, event.count, event.cpu_time_total, event.self_cpu_time_total, event.cpu_time, event.cpu_memory_usage)
    print(event)
print(events.total_average(), events.self_cpu_time_total)
print(events[1], events[1].cpu_time_total_str, events[1].time_range.elapsed_us())

x = torch.ones(2, 2)
with torch.autograd.profiler.profile() as p:
    x.sin()
    x.cos()
    x.sin()
print([(e.key, e.count) for e in p.key_averages()], p.function_events[0].name, len(str(p).splitlines()), p.self_cpu_time_total > 0)
lines = p.key_averages().table(sort_by="count", row_limit=1).splitlines()
print(lines[1].split(), lines[3].split()[0], lines[3].split()[-1], lines[-1].split(":")[0] if lines[-1] else lines[-2].split(":")[0])
with tempfile.TemporaryDirectory() as folder:
    with profile(on_trace_ready=tensorboard_trace_handler(folder, "worker")) as p:
        x.sin()
    (name,) = os.listdir(folder)
    print(name.split(".")[0], name.split(".", 2)[2])
    trace = json.load(open(os.path.join(folder, name)))
    print([e["name"] for e in trace["traceEvents"] if e.get("cat") == "cpu_op"], trace["displayTimeUnit"])
print(supported_activities())


def show(function):
    try:
        print(function())
    except (AssertionError, RuntimeError, AttributeError, TypeError, ValueError) as error:
        print(type(error).__name__, error)


idle = profile()
for function in (
    lambda: profile(activities=[]), lambda: idle.key_averages(), lambda: idle.events(), lambda: idle.export_chrome_trace("x"),
    lambda: schedule(wait=1, warmup=1, active=0), lambda: averages.table(sort_by="nothing"),
    lambda: p.key_averages().export_stacks("x", "nothing"), lambda: torch.autograd.profiler.profile(enabled=False).__enter__(),
):
    show(function)
with torch.autograd.profiler.profile() as p:
    print(repr(p))
    show(p.__enter__)
