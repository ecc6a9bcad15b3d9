# passes over graphs by the names of torch._C: loops unrolled, products batched, activations in place, linear layers found
import torch


def show(name, source):
    graph = torch.jit.CompilationUnit(source).f.graph.copy()
    print(name, getattr(torch._C, name)(graph))
    print(graph)
    return graph


LOOP = "def f(x, n: int):\n    for i in range(n):\n        x = x + i\n    return x\n"
graph = show("_jit_pass_loop_unrolling", LOOP)
g = torch._C._create_function_from_graph("g", graph)
print([g(torch.tensor(0), n).item() for n in (-1, 0, 1, 8, 17)])
show("_jit_pass_constant_loop_unrolling", LOOP)
show("_jit_pass_constant_loop_unrolling", "def f(x):\n    for i in range(3):\n        x = x * i\n    return x\n")
show("_jit_pass_loop_unrolling", "def f(x):\n    for i in range(70):\n        x = torch.sin(x)\n    return x\n")
show("_jit_pass_batch_mm", "def f(a, b, c, d):\n    return torch.mm(a, b) + torch.mm(b, c) + torch.mm(c, d) + torch.mm(d, a)\n")
names = ", ".join("x%d" % i for i in range(8))
products = ", ".join("torch.mm(a, x%d)" % i for i in range(8))
show("_jit_pass_batch_mm", "def f(a, %s):\n    return %s\n" % (names, products))
show("_jit_pass_functional_to_inplace_activation", "def f(x):\n    return torch.cos(torch.relu(x + 1))\n")
show("_jit_pass_inplace_to_functional_activation", "def f(x):\n    return torch.relu_(x + 1)\n")
show("_jit_pass_remove_inplace_ops", "def f(x, y):\n    x.add_(y)\n    return x.mul_(2)\n")
try:
    torch._C._jit_pass_that_is_not_there
except AttributeError as e:
    print("<<AttributeError>>")
    print(e)
    print("<<end>>")
