# alias_db: which values may share memory, which are written to; copies of nodes between graphs; tensors in parsed text
import torch


@torch.jit.script
def shared(x, y):
    z = x.t()
    z.add_(1)
    new = torch.rand([2, 2])
    held = [new]
    return held


graph = shared.graph
db = graph.alias_db()
x, y = graph.inputs()
z, new = graph.findNode("aten::t").output(), graph.findNode("aten::rand").output()
held = next(graph.outputs())
names = {"x": x, "y": y, "z": z, "new": new, "held": held}
for a in names:
    print(a, [b for b in names if db.may_contain_alias(names[a], names[b])], db.has_writers(names[a]))
print("WILDCARD" in str(db), "digraph alias_db" in db.to_graphviz_str())


@torch.jit.script
def writes_first(x, y):
    x.add_(1)
    return x + y


@torch.jit.script
def caller():
    a = torch.rand([2])
    b = torch.ones([2])
    return writes_first(a, b)


call = caller.graph.findNode("prim::CallFunction")
for inside in (False, True):
    db = caller.graph.alias_db(False, inside)
    print([db.has_writers(v) for v in list(call.inputs())[1:]])

copied = torch._C.Graph()
known = {value: copied.addInput() for value in graph.inputs()}
for node in graph.nodes():
    copy = copied.createClone(node, lambda value: known[value])
    copied.appendNode(copy)
    known.update(zip(node.outputs(), copy.outputs()))
print([n.kind() for n in copied.nodes()] == [n.kind() for n in graph.nodes()])
try:
    copied.create("aten::add", [None])
except ValueError as error:
    print(error)

text = "graph():\n  %1 : Int(3, 2, strides=[1, 3], requires_grad=0, device=cpu) = prim::Constant[value=<Tensor>]()\n  return (%1)\n"
parsed = torch._C.parse_ir(text, parse_tensor_constants=True)
tensor = next(parsed.nodes()).output().toIValue()
print(tensor.dtype, tensor.shape, tensor.stride())
try:
    torch._C.parse_ir(text)
except RuntimeError as error:
    print(str(error).strip().split("\n")[0])

watched = writes_first.graph.copy()
node = watched.insertNode(watched.create("prim::profile"))
value = node.output()
torch._C._jit_pass_dce(watched)
for gone in (node, value):
    try:
        print(gone)
    except RuntimeError as error:
        print(error)


def partly_functional(x, y, z):
    x = x + 1
    z = z + 1
    z.add_(2)
    z = z * z
    y = y * z
    if bool(y.sum() < 2):
        y = y + 5
    return x + y + z


given = [torch.tensor([float(i)]) for i in range(3)]
functional = torch.jit.script(partly_functional).graph.copy()
torch._C._jit_pass_create_functional_graphs(functional)
inner = functional.findNode("prim::FunctionalGraph").g("Subgraph")
print([n.kind() for n in functional.nodes() if n.kind() != "prim::Constant"])
print(sorted(n.kind() for n in inner.nodes() if n.kind() != "prim::Constant"))
torch._C._jit_pass_inline_functional_graphs(functional)
again = torch._C._create_function_from_graph("again", functional)
print(again(*given), partly_functional(*given))
