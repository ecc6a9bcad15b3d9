# Graphs from the sizes of an operator's tensors to those of its results: those that are there, and those that a program brings.
import warnings
from typing import Any, List, Optional

warnings.simplefilter("ignore")

import torch


@torch.jit.script
def several(x, y):
    return x * y, x / y, x.relu(), x.neg(), torch.mm(x, y), torch.tanh(x), x.t(), x - y, x > y, x.nonzero(), x + 1


seen = {}
for node in several.graph.nodes():
    if node.kind().startswith("aten::"):
        graph = torch._C._jit_shape_compute_graph_for_node(node)
        shown = None if graph is None else ([str(v.type()) for v in graph.inputs()], [str(v.type()) for v in graph.outputs()])
        print(node.kind(), shown, [kind for kind, other in seen.items() if other is not None and other is graph])
        seen[node.kind()] = graph


def run(kind, *sizes):
    function = torch._C._create_function_from_graph("sizes", seen[kind])
    try:
        print(kind, function(*sizes))
    except Exception as error:
        print(kind, type(error).__name__)


run("aten::mul", [2, 1, 3], [4, 1])
run("aten::mul", [2], [3])
run("aten::relu", [5, 6])
run("aten::mm", [2, 3], [3, 4])
run("aten::mm", [2, 3], [2, 4])
run("aten::t", [2, 3])


@torch.jit.script
def added(x, y):
    return x + y


def refused(function):
    node = added.graph.findNode("aten::add")
    try:
        torch._C._jit_register_shape_compute_graph_for_node(node, torch.jit.script(function).graph)
    except RuntimeError as error:
        print(str(error)[str(error).index("For schema") if "For schema" in str(error) else 0 :])


def of_tensors(x, y):
    return [1]


def gives_tensors(x: List[int], y: List[int]):
    found: List[torch.Tensor] = []
    return found


def too_many(x: List[int], y: List[int], z: Any, more: Any):
    return [1]


def of_ints(x: List[int], y: List[int], z: int):
    return [1]


def gives_two(x: List[int]):
    return [1], [2]


def gives_back(x: Optional[List[int]]):
    return x


for function in (of_tensors, gives_tensors, too_many, of_ints, gives_two, gives_back):
    refused(function)


@torch.jit.script
def multiplied(x):
    return torch.cumprod(x, 0)


def one_more(x: List[int], dim: int, dtype: Any):
    return [x[0] + 1, x[1]]


node = multiplied.graph.findNode("aten::cumprod")
print(torch._C._jit_shape_compute_graph_for_node(node))
torch._C._jit_register_shape_compute_graph_for_node(node, torch.jit.script(one_more).graph)
print([str(v.type()) for v in torch._C._jit_shape_compute_graph_for_node(node).inputs()])
parameter = next(multiplied.graph.inputs())
parameter.setType(parameter.type().with_sizes([2, 3]))
torch._C._jit_pass_propagate_shapes_on_graph(multiplied.graph)
print(node.output().type().sizes())
