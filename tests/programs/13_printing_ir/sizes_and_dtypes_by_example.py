# Which sizes and dtypes follow for all values of a graph from those of its inputs.
import warnings

warnings.simplefilter("ignore")

import torch


def graph_of(body):
    graph = torch.jit.CompilationUnit(f"def f(x, y, n: int):\n  return {body}\n").f.graph
    torch._C._jit_pass_constant_propagation(graph)
    return graph


def sizes(body, *known):
    graph = graph_of(body)
    for value, size in zip(graph.inputs(), known):
        value.setType(value.type().with_sizes(size))
    torch._C._jit_pass_propagate_shapes_on_graph(graph)
    print(body, next(graph.outputs()).type().sizes())


one = [2, 3]
for body in ("x.div_(y)", "x.relu_()", "torch.dropout(x, 0.5, True)", "x[0]", "x.sum()", "x.sum(0)", "x.sum(n)", "x.max(0)[0]", "x.view(-1)",
             "torch.cat([x, x])", "torch.stack([x, x])", "x.expand(2, -1, -1)", "torch.where(x > 0, x, x)", "x[x > 0]", "x.topk(2)[0]",
             "x.matmul(x.t())", "x.nonzero()", "torch.arange(1, 10, 4)", "torch.arange(0.6, 0.9, 0.1)", "x.add(y)"):
    sizes(body, one)
sizes("x * y", [1, 6, 5], [1, 7, 1, 5])
sizes("torch.conv2d(x, y)", [1, 3, 8, 8], [4, 3, 3, 3])
sizes("torch.nn.functional.adaptive_avg_pool2d(x, [5, 7])", [1, 4, 8, 9])
sizes("torch.embedding(x, y)", [20, 6], [3, 4])

graph = graph_of("torch.tanh(x + 1).sum(0)")
next(graph.inputs()).setType(next(graph.inputs()).type().with_sizes([2, 3]))
torch._C._jit_pass_propagate_shapes_on_graph(graph)
print(next(graph.inputs()).type().symbolic_sizes(), next(graph.outputs()).type().symbolic_sizes())
torch._C._jit_erase_non_input_shape_information(graph)
print(next(graph.inputs()).type().sizes(), next(graph.outputs()).type().sizes())


def dtypes(body, *known):
    graph = graph_of(body)
    for value, (dtype, dim) in zip(graph.inputs(), known):
        value.setType(value.type().with_dtype(dtype).with_sizes([None] * dim))
    changed = torch._C._jit_pass_propagate_dtype(graph)
    print(body, changed, next(graph.outputs()).type().dtype())


f, d, i, b = ((dtype, 2) for dtype in (torch.float32, torch.float64, torch.int64, torch.bool))
for body in ("x + y", "x / y", "x == y", "x.mul(2)", "x.mul(2.5)", "x.abs()", "torch.sin(x)", "x.transpose(0, 1)", "x.relu_()", "torch.atan2(x, y)"):
    for given in ((f, d), (i, f), (i, i), (d, b)):
        dtypes(body, *given)
dtypes("x + y", (torch.float32, 2), (torch.float64, 0))
dtypes("x + y", (torch.int64, 2), (torch.float64, 0))
dtypes("x.mul(n)", i)
dtypes("torch.conv2d(x, y)", (torch.int8, 4), (torch.int8, 4))
dtypes("torch.conv2d(x, y)", (torch.float32, 4), (torch.int64, 4))
dtypes("x + y", f)
dtypes("torch.nn.functional.avg_pool2d(x, 2)", (torch.float64, 4))
