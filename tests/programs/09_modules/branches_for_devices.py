# Branches for devices that are not there compile, and shapes are asked for as exporters do.
import re

import torch
import torch.onnx.operators


@torch.jit.script
def waited(x):
    if x.device.type == "cuda":
        torch.cuda.synchronize()
    return x + 1


@torch.jit.script
def measured(x):
    if x.is_cuda:
        start = torch.cuda.Event(enable_timing=True)
        start.record(torch.cuda.current_stream(x.device))
        start.synchronize()
        if not start.query():
            return x - 1
    return x * 2


@torch.jit.script
def places(x):
    shape = torch.onnx.operators.shape_as_tensor(x)
    return shape, torch.onnx.operators.reshape_from_tensor_shape(x, shape.flip(0))


print(re.sub(r" # .*", "", str(waited.graph)), waited.code)
print(measured(torch.ones(2)))
print(re.sub(r" # .*", "", str(places.graph)), places.code)
print(places(torch.arange(6.0).view(2, 3)))
try:
    torch.jit.script(lambda x: x)
except Exception as error:
    print(type(error).__name__)


def unclear(x):
    return torch.cuda.current_stream()


try:
    torch.jit.script(unclear)
except Exception as error:
    print(str(error).split("The original call is")[0])
