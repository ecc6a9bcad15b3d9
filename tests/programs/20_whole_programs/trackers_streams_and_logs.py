"""Small tools: which modules are at work, throughput, streams and events of the CPU, storages of quantized numbers, loggers."""

import logging
import re

import torch
from torch import nn
from torch.utils.module_tracker import ModuleTracker
from torch.utils.throughput_benchmark import ThroughputBenchmark, format_time


def attempt(function):
    try:
        print(function())
    except Exception as error:
        print(type(error).__name__, str(error).split("\n")[0])


class Told(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 1

    @staticmethod
    def backward(ctx, gradient):
        print("backward", sorted(tracker.parents), tracker.is_bw)
        return gradient


class Inner(nn.Module):
    def forward(self, x):
        print("forward", sorted(tracker.parents), tracker.is_bw)
        return Told.apply(x)


tracker = ModuleTracker()
model = nn.Sequential(nn.Linear(3, 3), nn.Sequential(Inner(), nn.Linear(3, 1)))
x = torch.ones(2, 3)
for given in (x, x.clone().requires_grad_()):
    with tracker:
        model(given).sum().backward()
        print(sorted(tracker.parents), tracker.is_bw)

print([format_time(1), format_time(time_us=1000), format_time(time_ms=3), format_time(time_s=2.5)])
attempt(lambda: format_time(1, 2))
scripted = torch.jit.script(nn.Linear(3, 1))
measured = ThroughputBenchmark(scripted)
attempt(measured.benchmark)
measured.add_input(x)
print(measured.run_once(x).shape)
found = measured.benchmark(num_calling_threads=2, num_warmup_iters=2, num_iters=11)
print(re.sub(r"[0-9.]+[mu]?s?\b", "N", str(found)), found.num_iters)

stream, event = torch.Stream("cpu"), torch.Event("cpu", enable_timing=True)
print(stream, event, stream == torch.Stream("cpu"))
print(stream.query(), stream.stream_id, stream.device_index, stream.synchronize(), event.query(), event.wait(), event.synchronize())
for function in (event.record, stream.record_event, event.ipc_handle, lambda: stream.native_handle, lambda: event.elapsed_time(torch.Event("cpu"))):
    attempt(function)
with stream as entered:
    print(entered is stream)

quantized = torch.quantize_per_tensor(torch.tensor([-1.0, 0.5]), 0.1, 3, torch.qint8)
print(quantized.storage(), isinstance(quantized.storage(), torch.QInt8Storage), isinstance(quantized.storage(), torch.QUInt8Storage))
print(torch.QInt32Storage([1, 2, 3]), torch.QUInt8Storage(3).dtype)

print(torch.GradScaler("cpu").get_scale(), torch.parse_schema("aten::foo(Tensor x, int y=3) -> Tensor"))
print(torch.parse_ir("graph(%x : Tensor):\n  %1 : int = prim::Constant[value=1]()\n  %2 : Tensor = aten::add(%x, %1, %1)\n  return (%2)"))
attempt(torch.Code)

attempt(lambda: torch._logging.set_logs(foo=1))
attempt(lambda: torch._logging.set_logs(all="x"))
attempt(lambda: torch._logging.set_logs(dynamo=True))
attempt(lambda: torch._logging.set_logs(graph=5))
torch._logging.set_logs(distributed=logging.DEBUG, autograd=logging.ERROR)
print(logging.getLogger("torch.distributed").level, logging.getLogger("torch.autograd").level)
attempt(lambda: torch._logging.getArtifactLogger("a.b", "zzz"))
print(torch._logging.getArtifactLogger("a.b", "graph").name, torch._logging.LazyString(lambda v: v + "!", "a"))
