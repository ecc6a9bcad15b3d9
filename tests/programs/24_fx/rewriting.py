"""torch.fx: patterns found and replaced, also of modules, with filters and constants"""
import torch
import torch.fx as fx
import torch.nn as nn
import torch.nn.functional as F
from torch.fx import replace_pattern, subgraph_rewriter
from torch.fx.passes.utils.matcher_utils import SubgraphMatcher


def show(program, pattern, replacement):
    gm = fx.symbolic_trace(program)
    print(replace_pattern(gm, pattern, replacement))
    gm.graph.lint()
    print(gm.code)
    return gm


def sums(x, w1, w2):
    return x + torch.max(torch.cat([w1, w2]).sum()) + torch.max(torch.cat([w1, w2]).sum())


def chain(x):
    return torch.relu(torch.relu(torch.relu(x)))


def shared(x, y):
    a = x + y
    return a * 2, a - 1


show(sums, lambda a, b: torch.cat([a, b]).sum(), lambda a, b: torch.stack([a, b]))
show(chain, lambda x: torch.relu(x), lambda x: torch.sigmoid(x))
show(chain, lambda x: torch.relu(torch.relu(x)), lambda x: torch.sigmoid(x))
show(shared, lambda x, y: (x + y) * 2, lambda x, y: x @ y)
show(shared, lambda x, y: x + y, lambda x, y: x @ y)
show(shared, lambda a: a * 2, lambda a: a)
show(shared, shared, lambda x, y: (x - y, y - x))
show(lambda x: x.view(-1, 3).sum(dim=1), lambda x, n: x.view(-1, n), lambda x, n: x.reshape(-1, n))
show(lambda x: F.relu(x, inplace=True) + F.relu(x), lambda x: F.relu(x), lambda x: F.gelu(x))
show(lambda a: (a + 1) * (a + 1), lambda a, b: a * b, lambda a, b: a - b)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.act, self.bias = nn.Linear(2, 2), nn.ReLU(), nn.Parameter(torch.ones(2))

    def forward(self, x):
        return self.act(self.fc(x)) + self.bias


class Pattern(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.act = nn.Linear(2, 2), nn.ReLU()

    def forward(self, x):
        return self.act(self.fc(x))


class Other(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.tanh = nn.Linear(2, 2), nn.Tanh()

    def forward(self, x):
        return self.tanh(self.fc(x))


print(show(Model(), Pattern(), Other()))

gm = fx.symbolic_trace(shared)
done = subgraph_rewriter.replace_pattern_with_filters(
    gm, lambda x, n: x * n, lambda x, n: x / n, [lambda match, graph, pattern: len(match.placeholder_nodes) == 2]
)
print(done, gm.code)
print(subgraph_rewriter.replace_pattern_with_filters(gm, lambda x: x - 1, lambda x: x, [lambda *_: False]))
print(subgraph_rewriter.replace_pattern_with_filters(gm, lambda x: x - 5, lambda x: x, ignore_literals=True), gm.code)

pattern = fx.symbolic_trace(lambda x, y: (x + y) * 2).graph
found = SubgraphMatcher(pattern).match(fx.symbolic_trace(lambda x, y: ((x + y) * 2 + y) * 2).graph)
print([(match.anchors, match.nodes_map, match.placeholder_nodes, match.returning_nodes) for match in found])
print(SubgraphMatcher(pattern, match_output=True).match(fx.symbolic_trace(lambda x, y: (x + y) * 2 + 1).graph))
