"""What follows for the values of a graph from the types and shapes of its inputs."""
import re

import torch


def lines(graph):
    found = re.sub(" #.*", "", str(graph)).split("\n")
    return "\n".join(line for line in found if "prim::Constant" not in line)


def show(body, *inputs, complete=False):
    names = ", ".join("xyz"[: len(inputs)])
    graph = torch.jit.CompilationUnit(f"def f({names}):\n  return {body}\n").f.graph
    torch._C._jit_pass_constant_propagation(graph)
    print(lines(torch._C._propagate_shapes(graph, inputs, False)))
    if complete:
        torch._C._jit_pass_complete_shape_analysis(graph, inputs, False)
        print(lines(graph))


x, y, i = torch.ones(3, 4), torch.ones(4, dtype=torch.float64), torch.ones(3, 4, dtype=torch.int64)
r = torch.ones(3, 4, requires_grad=True)
show("x + y", x, y, complete=True)
show("x + y", r, x, complete=True)
show("x * 2.5", i, complete=True)
show("x.sum()", x, complete=True)
show("torch.cat([x, y])", x, x, complete=True)
show("x.view(2, 6)", x)
show("x.unsqueeze(0).relu()", x)
show("x[0]", x)
show("x > y", x, x, complete=True)
show("x.max(1)", x)
show("torch.tanh(x)", r, complete=True)
show("x.nonzero()", x, complete=True)
show("x.softmax(1)", r, complete=True)
show("x.expand(2, 3, 4)", x, complete=True)
show("x.reshape(-1)", x)
show("torch.conv2d(x, y)", torch.ones(1, 2, 4, 4), torch.ones(3, 2, 1, 1))
show("x.detach()", r)

for types in ("Float(2, strides=[1], requires_grad=1, device=cpu)", "Tensor", "Float(*, *)", "Float(requires_grad=0)", "Float()"):
    value = next(torch._C.parse_ir(f"graph(%a : {types}):\n  return (%a)").inputs())
    print(value.type().str(), value.type().sizes(), value.type().dim(), value.requiresGrad())
print(next(torch._C.parse_ir("graph(%a : Tensor):\n  return (%a)").inputs()).type().with_dtype(torch.float32).str())
