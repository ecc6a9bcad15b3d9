"""A default of one number for a list of fixed size is recorded as that many."""

import torch
import torch.nn.functional as F


def kinds(graph):
    lists = {}
    for node in graph.nodes():
        if node.kind() == "prim::ListConstruct":
            lists[node.output().debugName()] = len(list(node.inputs()))
        elif node.kind().startswith("aten::"):
            print(node.kind(), [lists.get(i.debugName()) for i in node.inputs()])


x = torch.ones(1, 1, 4, 4, 4)
kinds(torch.jit.trace(lambda t: F.avg_pool1d(t[0, 0], 2), x).graph)
kinds(torch.jit.trace(lambda t: F.avg_pool2d(t[0], 2), x).graph)
kinds(torch.jit.trace(lambda t: F.avg_pool3d(t, (1, 2, 2), stride=2), x).graph)
kinds(torch.jit.trace(lambda t: F.max_pool2d(t[0], 2), x).graph)
kinds(torch.jit.trace(lambda t: F.unfold(t[0], 2), x).graph)
kinds(torch.jit.trace(lambda t: torch.roll(t, 1), x).graph)
