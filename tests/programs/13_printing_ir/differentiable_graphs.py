# Differentiable code in graphs of its own, and what graph_for shows of a run that needs gradients.
import warnings

warnings.simplefilter("ignore")

import torch


def slice_(text, threshold=1):
    graph = torch._C.parse_ir(text)
    torch._C._jit_pass_create_autodiff_subgraphs(graph, threshold)
    print(torch._C._jit_pass_canonicalize(graph))


# A chain becomes one graph; constants go along.
chain = """graph(%a : Tensor, %b : Tensor):
  %one : int = prim::Constant[value=1]()
  %c : Tensor = aten::sigmoid(%a)
  %d : Tensor = aten::add(%c, %b, %one)
  %e : Tensor = aten::tanh(%d)
  return (%e)
"""
slice_(chain)
# Not where so few nodes do not pay.
slice_(chain, 4)

# What cannot be differentiated divides it; what does not depend on that goes around it.
slice_("""graph(%a : Tensor, %b : Tensor):
  %c : Tensor = aten::sigmoid(%a)
  %d : Tensor = aten::det(%c)
  %e : Tensor = aten::mul(%c, %d)
  %f : Tensor = aten::mul(%b, %b)
  %g : Tensor = aten::mul(%e, %f)
  return (%g)
""")

# Writes stay where they are between reads.
slice_("""graph(%a : Tensor, %b : Tensor):
  %one : int = prim::Constant[value=1]()
  %c : Tensor = aten::sigmoid(%a)
  %d : Tensor = aten::tanh(%c)
  %e : Tensor = aten::add_(%c, %b, %one)
  %f : Tensor = aten::mul(%c, %d)
  return (%f)
""")

# Two results of one graph never share memory.
slice_("""graph(%a : Tensor):
  %c : Tensor = aten::sigmoid(%a)
  %d : Tensor = aten::t(%c)
  %e : Tensor = aten::neg(%d)
  return (%c, %e)
""")
slice_("""graph(%a : Tensor):
  %c : Tensor = aten::sigmoid(%a)
  %d : Tensor = aten::t(%c)
  %e : Tensor = aten::neg(%d)
  return (%c, %d, %e)
""")

# Branches and loops have graphs of their own.
slice_("""graph(%a : Tensor, %p : bool):
  %c : Tensor = aten::sigmoid(%a)
  %d : Tensor = prim::If(%p)
    block0():
      %e : Tensor = aten::mul(%c, %a)
      %f : Tensor = aten::neg(%e)
      -> (%f)
    block1():
      -> (%c)
  %g : Tensor = aten::mul(%d, %c)
  return (%g)
""")

# Two users of the same two results.
slice_("""graph(%g : int, %a : Tensor, %b : Tensor):
  %c : Tensor = aten::neg(%a)
  %d : Tensor = aten::exp(%b)
  %e : Tensor = aten::mul(%c, %d)
  %f : Tensor = aten::sub(%d, %c, %g)
  return (%e, %f)
""")


def show(function, *arguments):
    scripted = torch.jit.script(function)
    for _ in range(2):
        scripted(*arguments)
    graph = torch._C._jit_pass_canonicalize(scripted.graph_for(*arguments))
    print(str(graph).partition("\nwith ")[0])
    for call in graph.findAllNodes("prim::DifferentiableGraph"):
        print([n.kind() for n in call.g("Subgraph").nodes() if n.kind() in ("aten::mul", "aten::neg", "aten::tanh", "prim::ConstantChunk")])


def smooth(x, y):
    return torch.tanh(torch.neg(x * y))


def cut(x, y):
    a, b = x.chunk(2)
    c, d = y.chunk(2)
    return a * c, b * d


def scaled(x, by: float):
    return torch.neg(x * by) * by


def leaves_early(x, n: int):
    if n > 3:
        return torch.neg(x * 2)
    for i in range(n):
        if i == 2:
            return x + i
        x = x * x
    return x


def same(x):
    return x


w, v = torch.ones(4, 3, requires_grad=True), torch.ones(4, 3)
show(smooth, w, v)
show(cut, w, v)
show(scaled, w, 2.0)
scripted = torch.jit.script(leaves_early)
for n in (4, 3, 1):
    scripted(w, n)
    print(len(scripted.graph_for(w, n).findAllNodes("aten::add")))
scripted = torch.jit.script(same)
scripted(w)
print([node.kind() for node in scripted.graph_for(w).nodes()])
layers = torch.jit.script(torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.ReLU(), torch.nn.Linear(3, 2)))
for _ in range(2):
    layers(v)
graph = layers.graph_for(v)
print([[node.kind() for node in call.g("Subgraph").nodes()] for call in graph.findAllNodes("prim::DifferentiableGraph")])
print(torch._C.TensorType.create_from_tensor(w).requires_grad(), torch._C.TensorType.create_from_tensor(v).requires_grad())
