# Sizes that are not known but told apart go through the operators of a graph.
import torch

names = {}


def symbol(name):
    number = torch._C._new_symbolic_shape_symbol()
    names[number] = name
    return number


a, b, c = symbol("a"), symbol("b"), symbol("c")


def shown(sizes):
    return None if sizes is None else [names.get(size, "new") if size < 0 else size for size in sizes]


def follow(text, *sizes):
    graph = torch.jit.CompilationUnit(f"def f(x, y):\n    return {text}\n").f.graph
    torch._C._jit_pass_constant_propagation(graph)
    for value, each in zip(graph.inputs(), sizes):
        value.setType(torch._C.TensorType.get().with_sizes(each))
    torch._C._jit_pass_propagate_shapes_on_graph(graph)
    print(text, *map(shown, sizes), "->", shown(next(graph.outputs()).type().symbolic_sizes()))


ty = torch._C.TensorType.get().with_sizes([a, 4, None])
print(a < 0, b == a - 1, ty.sizes(), ty.varyingSizes(), ty.dim(), ty.symbolic_sizes()[:2] == [a, 4], ty.symbolic_sizes()[2] < 0)
print(torch._C.TensorType.get().with_sizes([a]) == torch._C.TensorType.get().with_sizes([a]))
graph = torch._C.parse_ir("graph(%x : Tensor):\n  return (%x)")
next(graph.inputs()).setType(torch._C.TensorType.get().with_sizes([a, 3]))
print(graph)
for text, *sizes in (
    ("x + y", [a, b], [b]), ("x + y", [a, 1], [1, b]), ("x + y", [a, 4], [a, 4]), ("x * y", [a, b], [a, c]),
    ("torch.mm(x, y)", [a, 4], [4, a]), ("torch.matmul(x, y)", [a, b, 4], [4, c]), ("torch.bmm(x, y)", [a, b, 4], [a, 4, c]),
    ("x.transpose(0, 1)", [a, 3]), ("x.t()", [a, b]), ("x.sum(0)", [a, b]), ("x.sum([1], True)", [a, b]), ("x.mean()", [a, b]),
    ("torch.cat([x, y], 0)", [a, b], [c, b]), ("torch.cat([x, x], 1)", [a, b]), ("torch.stack([x, x], 0)", [a, b]),
    ("torch.conv2d(x, y)", [a, 3, b, b], [8, 3, 3, 3]), ("torch.max_pool2d(x, [2, 2])", [a, 3, b, 8]), ("x.unsqueeze(1)", [a, b]),
    ("x.squeeze(0)", [1, b]), ("x.squeeze(0)", [a, b]), ("x[0]", [a, b]), ("x.flatten(1)", [a, 2, 3]), ("x.flatten()", [a, b]),
    ("torch.nn.functional.linear(x, y)", [a, 4], [c, 4]), ("x.expand([3, -1])", [1, b]), ("torch.embedding(x, y)", [10, b], [a, c]),
    ("x.permute(1, 0)", [a, b]), ("torch.zeros([x.size(0), 3])", [a, b]), ("x.argmax(1)", [a, b]), ("x.topk(2)[0]", [a, b]),
    ("torch.where(x > 0, x, y)", [a, b], [b]), ("x.softmax(1)", [a, b]), ("x.index_select(0, y)", [a, b], [c]), ("x.pow(2)", [a, b]),
    ("torch.layer_norm(x, [4])", [a, 4]), ("x.relu() + 1", [a, b]),
):
    follow(text, *sizes)
