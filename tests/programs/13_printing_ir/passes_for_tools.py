# Passes that only tools run: what comparisons tell, decompositions, dead code with effects, convolutions, and who may register them.
import re

import torch
from torch._C import parse_ir


@torch.jit.script
def compared(x: int, y: bool):
    if x == 1:
        a = x + 2
    else:
        a = x
    if x == 4 and y:
        a += x
    if x != 3:
        b = 0
    else:
        b = x
    while x == 2:
        a += x
        x += 1
    if not x == 7:
        a += 1
    else:
        a += x
    return a + b


graph = compared.graph.copy()
print(torch._C._jit_pass_integer_value_refinement(graph))
print(re.sub(" #.*", "", graph.str()))
print(torch._C._jit_pass_integer_value_refinement(graph))


@torch.jit.script
def effects(x: torch.Tensor):
    y = x.view(-1)
    y.add_(1)
    print(x)
    z = x + 2
    assert x.dim() > 1
    return x, 3


graph = effects.graph.copy()
torch._C._jit_pass_dce_allow_deleting_nodes_with_side_effects(graph)
print(re.sub(" #.*", "", graph.str()))

graph = parse_ir("""graph(%x : Tensor):
  %y : Tensor = aten::square(%x)
  return (%y)""")


@torch.jit.script
def squared(x):
    return x.pow(2)


print(torch._C._jit_decomposition_graph_for_node(graph.findNode("aten::square")))
torch._C._jit_register_decomposition_for_schema(torch._C._get_schema("aten::square", ""), squared.graph)
print(re.sub(" #.*", "", torch._C._jit_decomposition_graph_for_node(graph.findNode("aten::square")).str()))
torch._C._jit_pass_run_decompositions(graph)
print(re.sub(" #.*", "", graph.str()))
import torch.jit._decomposition_utils  # noqa: E402

try:
    torch.jit._decomposition_utils._register_decomposition(torch.ops.aten.square, squared.graph)
except AssertionError as error:
    print(error)


@torch.jit.script
def line(x, w):
    return torch.conv1d(x, w, None, [2], [1])


torch._C._jit_pass_transform_conv1d_to_conv2d(line.graph)
print(re.sub(" #.*", "", line.graph.str()))
x, w = torch.arange(8.0).view(1, 1, 8), torch.ones(2, 1, 3)
print(torch.equal(torch._C._create_function_from_graph("f", line.graph)(x, w), torch.nn.functional.conv1d(x, w, None, 2, 1)))
