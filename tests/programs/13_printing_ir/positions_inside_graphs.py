"""Graphs without positions: only nodes of the graph itself lose them, those of nested blocks and graphs do not."""
import warnings

import torch

warnings.simplefilter("ignore")


@torch.jit.script
def f(x, n: int):
    for i in range(n):
        if bool(x.sum() > 0):
            x = x + 1
    return torch.jit.wait(torch.jit.fork(torch.relu, x))


for line in f.graph.str(False).splitlines():
    print("#" in line, line.strip().split(" = ")[-1].split("(")[0])
print(f.graph.findNode("prim::Loop"))
