"""torch.fx: graphs run node by node, transformed, with shapes; metadata that goes along"""
import operator

import torch
import torch.fx as fx
import torch.nn as nn
import torch.nn.functional as F
from torch.fx import traceback
from torch.fx.passes.shape_prop import ShapeProp


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.bias = nn.Linear(3, 2), nn.Parameter(torch.ones(2))

    def forward(self, x, y=2, *rest):
        z = F.relu(self.fc(x) + self.bias) * y
        return z.sum(dim=1), {"all": [z, x]}


torch.manual_seed(0)
net = Net()
gm = fx.symbolic_trace(net)
x = torch.ones(2, 3)


class Loud(fx.Interpreter):
    def run_node(self, n):
        result = super().run_node(n)
        print(n.op, n.name, type(result).__name__, len(self.env))
        return result

    def call_function(self, target, args, kwargs):
        if target is operator.mul:
            return torch.sub(*args, **kwargs)
        return super().call_function(target, args, kwargs)


print(torch.equal(fx.Interpreter(gm).run(x)[0], net(x)[0]))
print(torch.equal(Loud(gm).run(x, 5)[0], (net(x, 1)[1]["all"][0] - 5).sum(dim=1)))
Loud(gm, garbage_collect_values=False).run(x)
known = {node: torch.zeros(2, 2) for node in gm.graph.nodes if node.name == "relu"}
print(fx.Interpreter(gm).run(x, initial_env=known)[0])


class Swap(fx.Transformer):
    def call_function(self, target, args, kwargs):
        if target is operator.mul:
            return torch.neg(args[0]) - args[1]
        return super().call_function(target, args, kwargs)

    def call_method(self, target, args, kwargs):
        if target == "sum":
            return F.softmax(args[0], dim=kwargs["dim"])
        return super().call_method(target, args, kwargs)

    def call_module(self, target, args, kwargs):
        return super().call_module(target, args, kwargs).tanh()


changed = Swap(gm).transform()
print(changed.code)
print(type(changed).__name__, changed(x)[0].shape)
print(fx.Transformer(gm).transform().code == gm.code)

print(ShapeProp(gm).propagate(x)[0].shape)
for node in gm.graph.nodes:
    meta = node.meta.get("tensor_meta")
    print(node.name, node.meta["type"].__name__, getattr(meta, "shape", None), getattr(meta, "dtype", None))
print(gm.graph.find_nodes(op="call_module")[0].meta["tensor_meta"])
print(gm.print_readable(print_output=False))
for node in gm.graph.find_nodes(op="call_method"):
    node.stack_trace = '  File "model.py", line 3, in forward\n    z.sum(dim=1)'
gm.print_readable()
gm.print_readable(expanded_def=True)

with traceback.preserve_node_meta():
    with traceback.annotate({"part": 1}):
        inner = fx.symbolic_trace(lambda x: torch.relu(x) + 1)
print([node.meta["custom"] for node in inner.graph.nodes], traceback.has_preserved_node_meta())
print([(node.name, node.meta.get("custom")) for node in fx.Transformer(inner).transform().graph.nodes])
