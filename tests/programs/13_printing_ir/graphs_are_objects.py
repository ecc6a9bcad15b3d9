"""The graph of a function is one Python object for as long as somebody has it; passes over numbers."""
import warnings

import torch

warnings.simplefilter("ignore")


@torch.jit.script
def f(x: int, y: float):
    return [x, int(x / 1), int(y / 1)]


graph = f.graph
print(f.graph is graph, f.graph is f.graph)
module = torch.jit.script(torch.nn.ReLU())
graph = module.graph
print(module.graph is graph, module.forward.graph is graph)
torch._C._jit_pass_peephole(f.graph)
print(f.graph)
