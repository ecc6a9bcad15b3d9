"""torch.fx: graph modules are copied, pickled, scripted, traced, saved and written as packages"""
import copy
import importlib
import io
import math
import os
import pickle
import sys
import tempfile

import torch
import torch.fx as fx
import torch.nn as nn
import torch.nn.functional as F


@fx.wrap
def scaled(x, by: int):
    return x * by


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.seq = nn.Linear(3, 4), nn.Sequential(nn.Linear(4, 2), nn.ReLU())
        self.bias = nn.Parameter(torch.ones(2))
        self.register_buffer("shift", torch.zeros(2))

    def forward(self, x: torch.Tensor):
        x = self.seq(F.relu(self.fc(x))) + self.bias - self.shift
        return {"y": scaled(x, 2).view(x.shape[0], -1), "n": torch.cat([x, x], dim=1).softmax(dim=1)}


torch.manual_seed(0)
net = Net().eval()
gm = fx.symbolic_trace(net)
gm.meta["note"], gm.mark = 1, 5
x = torch.randn(2, 3)


def same(other):
    ours, theirs = gm(x), other(x)
    return all(torch.equal(ours[key], theirs[key]) for key in ours)


deep, shallow, pickled = copy.deepcopy(gm), copy.copy(gm), pickle.loads(pickle.dumps(gm))
for other in (deep, shallow, pickled):
    print(same(other), other.code == gm.code, type(other).__name__, other.graph is gm.graph, other.meta, hasattr(other, "mark"))
    print(other.fc is gm.fc, other.training, list(other.state_dict()) == list(gm.state_dict()))
print(pickled.graph)
buffer = io.BytesIO()
torch.save(gm, buffer)
buffer.seek(0)
print(same(torch.load(buffer, weights_only=False)))

scripted = torch.jit.script(gm)
print(scripted.code, scripted.original_name, same(scripted))
buffer = io.BytesIO()
torch.jit.save(scripted, buffer)
buffer.seek(0)
print(same(torch.jit.load(buffer)))
first = fx.symbolic_trace(nn.Sequential(nn.Linear(3, 2), nn.Tanh()))
traced = torch.jit.trace(first, x)
print(traced.code, torch.equal(traced(x), first(x)))
again = fx.symbolic_trace(gm)
print(again.code == gm.code, same(again))
first(x).sum().backward()
print([parameter.grad.shape for parameter in first.parameters()])

with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "written")
    first.to_folder(path, "Written")
    print(sorted(os.listdir(path)))
    print(open(os.path.join(path, "module.py")).read().replace(path, "."))
    sys.path.insert(0, folder)
    written = importlib.import_module("written").Written()
    print(torch.equal(written(x), first(x)))

table = fx.symbolic_trace(lambda a: math.floor(a) + 1)
print(pickle.loads(pickle.dumps(table)).code, table(torch.tensor(2.5).item()))
inner = fx.GraphModule({"part": gm, "w": torch.ones(1)}, fx.Graph())
node = inner.graph.placeholder("x")
inner.graph.output((inner.graph.call_module("part", (node,)), 1)) if hasattr(inner, "part") else inner.graph.output(node)
inner.recompile()
print(inner.code, inner(3))
