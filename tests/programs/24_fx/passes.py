"""torch.fx.passes and torch.fx.experimental: splitting, fusing, folding, sorting, sizes, common calls, arguments by name"""
import operator

import torch
import torch.fx as fx
import torch.nn as nn
import torch.nn.functional as F
from torch.fx.experimental import optimization
from torch.fx.experimental.const_fold import split_const_subgraphs
from torch.fx.operator_schemas import normalize_function
from torch.fx.passes.dialect.common.cse_pass import CSEPass
from torch.fx.passes.graph_manipulation import get_size_of_all_nodes, replace_target_nodes_with
from torch.fx.passes.infra.pass_base import PassBase, PassResult
from torch.fx.passes.infra.pass_manager import PassManager, this_before_that_pass_constraint
from torch.fx.passes.split_module import split_module
from torch.fx.passes.split_utils import split_by_tags
from torch.fx.passes.tools_common import legalize_graph
from torch.fx.passes.utils.fuser_utils import fuse_by_partitions


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(2, 2), nn.Sequential(nn.Linear(2, 2), nn.ReLU())
        self.p = nn.Parameter(torch.ones(2))
        self.register_buffer("q", torch.ones(2))

    def forward(self, x, y=None):
        a = self.a(x)
        c = self.b(a + self.p) * self.q
        return torch.relu(c) + a, c


torch.manual_seed(0)
net = Net()
x = torch.randn(1, 2)
parts = {"a": 0, "add": 0, "b_0": 1, "b_1": 1, "mul": 1, "relu": 2, "add_1": 2}
names = {}
split = split_module(fx.symbolic_trace(net), net, lambda node: parts[node.name], qualname_map=names)
print(split.code, names)
for name, child in split.named_children():
    print(name, child.code)
print(torch.equal(split(x)[0], net(x)[0]))
print(split_module(fx.symbolic_trace(net), net, lambda node: parts[node.name], keep_original_order=True).graph)
try:
    split_module(fx.symbolic_trace(net), net, lambda node: {"relu": 1}.get(node.name, 0))
except RuntimeError as error:
    print("<<RuntimeError>>", error, "<<end>>", sep="\n")

gm = fx.symbolic_trace(net)
for node in gm.graph.nodes:
    if node.op.startswith("call"):
        node.tag = ["one", "two", "three"][parts[node.name]]
tagged = split_by_tags(gm, ["one", "two", "three"])
print(tagged.code, tagged.three.code, torch.equal(tagged(x, None)[0], net(x)[0]))

gm = fx.symbolic_trace(net)
nodes = {node.name: node for node in gm.graph.nodes}
fused = fuse_by_partitions(gm, [{nodes["mul"]: None, nodes["relu"]: None}])
print(fused.code, fused.fused_0.code, torch.equal(fused(x)[0], net(x)[0]))

small = fx.symbolic_trace(nn.Sequential(nn.Linear(2, 3), nn.ReLU()))
get_size_of_all_nodes(small, [x])
print([(node.name, node.size_bytes) for node in small.graph.nodes if node.op != "output"])
gm = fx.symbolic_trace(lambda x: torch.relu(x) + 1)
replace_target_nodes_with(gm, "call_function", torch.relu, "call_function", torch.sigmoid)
nodes = list(gm.graph.nodes)
nodes[1].prepend(nodes[2])
legalize_graph(gm)
print(gm.code)


class Tanh(PassBase):
    def call(self, graph_module):
        found = graph_module.graph.find_nodes(op="call_function", target=torch.sigmoid)
        for node in found:
            node.target = torch.tanh
        return PassResult(graph_module, bool(found))


def nothing(graph_module):
    return PassResult(graph_module, False)


result = PassManager([Tanh()], steps=3)(gm)
print(result.modified, result.graph_module.code)
first, second = lambda g: PassResult(g, False), nothing
manager = PassManager([first, second], constraints=[this_before_that_pass_constraint(second, first)])
manager.solve_constraints()
print(manager.passes == [second, first])
result = CSEPass()(fx.symbolic_trace(lambda x: (x + 1) * (x + 1) + torch.relu(x) + torch.relu(x)))
print(result.modified, result.graph_module.code)


class Conv(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.bn, self.drop = nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.Dropout()

    def forward(self, x):
        return self.drop(F.relu(self.bn(self.conv(x))))


conv = Conv().eval()
image = torch.randn(1, 3, 5, 5)
folded = optimization.fuse(conv)
print(folded.code, torch.allclose(folded(image), conv(image), atol=1e-5), optimization.remove_dropout(conv).code)
try:
    optimization.fuse(Conv())
except AssertionError as error:
    print("<<AssertionError>>", error, "<<end>>", sep="\n")


class Constant(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(2) * 2)

    def forward(self, x):
        return x + (self.a + self.b) * 2


constant = split_const_subgraphs(Constant())
print(constant.code, constant.const_subgraph_module.code, constant(torch.ones(2)).tolist())
print(normalize_function(F.relu, (1,), normalize_to_only_use_kwargs=True))
print(normalize_function(F.max_pool2d, (1, 2), {"padding": 1}))
print(normalize_function(torch.ops.aten.add.Tensor, (1, 2), normalize_to_only_use_kwargs=True))
print(normalize_function(operator.add, (1, 2)))
