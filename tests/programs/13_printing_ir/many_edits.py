# Functions are what many edits of their graphs have made of them, also where nobody keeps the graph.
import torch


@torch.jit.script
def f(x):
    return torch.neg(x) + 1


@torch.jit.script
def outer(x):
    return f(x) * 2


for _ in range(500):
    f.graph.insertConstant(7)
print(len(list(f.graph.nodes())))


def bypass(graph):
    for node in graph.nodes():
        if node.kind() == "aten::neg":
            node.output().replaceAllUsesWith(node.inputsAt(0))


bypass(f.graph)
print("torch.neg" in f.code, "torch.add(x, 1)" in f.code)
torch._C._jit_pass_dce(f.graph)
print(f.code)
print(f(torch.tensor([1.0, 2.0])), outer(torch.tensor([1.0, 2.0])))
