"""The graph of a function: edits and passes change what prints and what runs."""

import torch


@torch.jit.script
def shift(x, y):
    return x * y + 1


node = shift.graph.findNode("aten::mul")
with shift.graph.insert_point_guard(node):
    constant = shift.graph.insertConstant(5)
add = shift.graph.findNode("aten::add")
add.replaceInput(1, constant)
print(shift(torch.ones(2), torch.ones(2)))
print("5" in str(shift.graph))


@torch.jit.script
def lookup(a: int, b: int):
    table = {0: a, 1: b}
    return table[1], table[0], len(table)


torch._C._jit_pass_peephole(lookup.graph)
torch._C._jit_pass_dce(lookup.graph)
print("DictConstruct" in str(lookup.graph), lookup(3, 4))


@torch.jit.script
def arithmetic(a: int):
    return torch.sub(a + 2, 3) // 1 + 1


torch._C._jit_pass_peephole(arithmetic.graph)
print([n.kind() for n in arithmetic.graph.nodes()], arithmetic(7))


@torch.jit.script
def refined(x: int):
    y = 1
    if x == 1:
        return y
    else:
        return x


torch._C._jit_pass_refine_integer_values(refined.graph)
torch._C._jit_pass_constant_propagation(refined.graph)
torch._C._jit_pass_dce(refined.graph)
print([n.kind() for n in refined.graph.nodes()], refined(1), refined(2))


@torch.jit.script
def constants():
    return [1, 2], (3, 4.0), {"a": 1}


torch._C._jit_pass_constant_propagation(constants.graph)
print([n.kind() for n in constants.graph.nodes()], constants())


@torch.jit.script
def rank(x):
    return len(x.size()), x.dim()


value = list(rank.graph.inputs())[0]
value.setType(value.type().with_sizes([None, None]))
print(value.type().dim(), value.type().sizes(), value.type().varyingSizes(), value.type().scalarType())
torch._C._jit_pass_peephole(rank.graph, disable_shape_peepholes=True)
print(rank.graph.findNode("aten::dim") is None)
torch._C._jit_pass_peephole(rank.graph)
print(rank.graph.findNode("aten::dim") is None, rank(torch.ones(2, 3)))


@torch.jit.script
def sliced(a: int, b: int, c: int):
    t = (a, b, c)
    return t[1:]


torch._C._jit_pass_lower_all_tuples(sliced.graph)
print("Tuple" in str(sliced.graph), len(list(sliced.graph.outputs())))

graph = torch._C.parse_ir("graph(%x, %y):\n  %t = aten::mul(%x, %y)\n  return (%t)")
print([str(v.type()) for v in graph.inputs()])
print(torch._C._jit_interpret_graph(graph, (torch.ones(2), torch.full((2,), 3.0))))
uses = list(list(shift.graph.inputs())[0].uses())
print(len(uses), uses[0].isAfter(uses[0]))
with torch.jit._hide_source_ranges():
    print("# " in str(shift.graph))
print("# " in shift.graph.str(print_source_ranges=False))
