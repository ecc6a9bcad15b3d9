# nodes, values, blocks, types and schemas of a graph from Python
import torch
from typing import Dict, List, Optional, Tuple

def f(x, k: int, d: Dict[str, List[int]], o: Optional[float], t: Tuple[int, str]):
    y = x * 2
    for i in range(k):
        y = y * 2 + i
    s = "abc"
    if k > 2:
        print(s, [1, 2], torch.float)
    return y.relu(), t
g = torch.jit.script(f).graph
for n in g.nodes():
    print(n.kind(), n.attributeNames(), [n.kindOf(a) for a in n.attributeNames()], n.inputsSize(), n.outputsSize())
    print(repr(n.sourceRange().split("\n")[0][-7:]), n.mustBeNone(), n.hasUses(), n.schema())
    if n.kind() == "prim::Constant":
        print(n.output().toIValue(), n.output().type(), n.hasAttributes())
print([str(v.type()) for v in g.inputs()], [v.type().kind() for v in g.inputs()])
loop = g.findNode("prim::Loop")
print(loop, end="")
body = next(loop.blocks())
print([v.debugName() for v in body.inputs()], [v.debugName() for v in body.outputs()])
print([n.kind() for n in g.findAllNodes("aten::mul")], [n.kind() for n in g.findAllNodes("aten::mul", False)])
mul = body.findNode("aten::mul")
print(mul.namedInput("other").debugName(), mul.owningBlock().owningNode().kind(), [(u.user.kind(), u.offset) for u in mul.output().uses()])
print(list(g.outputs()), g.param_node(), g.return_node(), sep="")
types = [v.type() for v in g.inputs()]
print(types[2].getKeyType(), types[2].getValueType(), types[3].getElementType(), types[4].elements())
print(torch._C.IntType.get().isSubtypeOf(torch._C.OptionalType(torch._C.IntType.get())), torch._C.ListType.ofInts())
h = torch._C.Graph()
a, b = h.addInput("a"), h.addInput()
add = h.create("aten::add", [a, b, b], 1)
h.appendNode(add)
add.output().setDebugName("sum")
h.registerOutput(add.output())
print(h, h.copy())
h = torch._C.parse_ir("""graph(%x : Tensor, %n.3 : int):
  %z : Tensor = aten::add(%x, %n.3, %n.3)
  %w : Tensor = aten::add(%x, %n.3, %n.3)
  %r : Tensor = aten::mul(%z, %w)
  return (%r)
""")
torch._C._jit_pass_cse(h)
print(h)
s = torch._C.parse_schema("foo::bar.baz(Tensor(a!) self, int[2] k=[1, 2], *, str s='a', float? f=None) -> (Tensor, int n)")
print(s, s.name, s.overload_name, s.is_mutable, [(a.name, str(a.type), a.has_default_value(), a.default_value, a.kwarg_only, a.N) for a in s.arguments])
print([str(r.type) for r in s.returns], s.arguments[0].alias_info.is_write, torch._C._jit_get_schemas_for_operator("aten::relu"))
