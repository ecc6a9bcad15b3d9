# passes that name operators: sums cut off at zero, products taken apart, dropout left out, what operators are made of
import torch


def kinds(graph):
    return [node.kind().split("::")[1] for node in graph.nodes() if node.kind().startswith("aten::")]


@torch.jit.script
def sums(a, b, c):
    x = torch.relu(torch.add(a, b))
    y = torch.relu_(torch.add(a, b, alpha=2))
    z = torch.relu_(a.clone().add_(b))
    kept = torch.relu(a.clone().add_(b))
    out = torch.relu_(torch.add(a, b, out=c))
    one = torch.relu(a + 2)
    twice = a + b
    return x, y, z, kept, out, one, twice, torch.relu(twice)


given = [torch.tensor([-3.0, 1.0]), torch.tensor([1.0, 1.0]), torch.zeros(2)]
before = [t.tolist() for t in sums(*[g.clone() for g in given])]
torch._C._jit_pass_fuse_add_relu(sums.graph)
print(sorted(kinds(sums.graph)))
print(before == [t.tolist() for t in sums(*[g.clone() for g in given])], before)


@torch.jit.script
def products(m, a, b, scaled: bool):
    x = m.addmm(a, b)
    y = torch.addmm(m, a, b, beta=2)
    if scaled:
        y = y.addmm(a, b, beta=1.0, alpha=1.0)
    return x, y


eye = torch.eye(2)
before = [t.tolist() for t in products(eye, eye * 2, eye, True)]
torch._C._jit_pass_decompose_ops(products.graph)
print(kinds(products.graph), "addmm" in str(products.graph.findNode("prim::If")))
print(before == [t.tolist() for t in products(eye, eye * 2, eye, True)], before)


class Drops(torch.nn.Module):
    def forward(self, x, train: bool):
        return torch.dropout(x, 0.5, False) + torch.dropout(x, 0.5, train) + torch.dropout(x * 2, 0.1, False)


module = torch.jit.script(Drops())
try:
    torch._C._jit_pass_remove_dropout(module._c)
except RuntimeError as error:
    print(error)
module.eval()
torch._C._jit_pass_remove_dropout(module._c)
print(kinds(module.graph), module(torch.ones(2), False))


@torch.jit.script
def spread(x):
    return torch.var(x, unbiased=True), torch.square(x)


@torch.jit.script
def by_power(x):
    return torch.pow(x, 2)


x = torch.arange(6.0).reshape(2, 3)
before = [t.tolist() for t in spread(x)]
torch.jit._register_decomposition(torch.ops.aten.square.default, by_power.graph)
torch._C._jit_pass_run_decompositions(spread.graph)
print("var" in kinds(spread.graph), "square" in kinds(spread.graph), "pow" in kinds(spread.graph))
print(before == [t.tolist() for t in spread(x)], before)


@torch.jit.script
def numbers(a, n: int):
    return a + (n + 1), a * 2.5


torch._C._jit_pass_erase_number_types(numbers.graph)
print([str(v.type().dtype()) for node in numbers.graph.findAllNodes("prim::Constant") for v in node.outputs()])
print(list(numbers.graph.inputs())[1].type().dtype())
