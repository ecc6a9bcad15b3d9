import torch
from torch import nn, Tensor
from typing import Dict, List, Optional, Tuple


@torch.jit.script
def fn(x: Tensor, n: int, flag: bool, opt: Optional[int] = None) -> Tuple[Tensor, List[int]]:
    acc: List[int] = []
    y = torch.nn.functional.relu(x)
    for i in range(n):
        if flag:
            acc.append(i * 3)
            y = y + 0.5
        else:
            y = y.view([-1, 2]).sum(dim=0, keepdim=True)
    if opt is not None:
        y = y * opt
    return y.transpose(0, 1), acc


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(2, 2)
        self.k = 4
        self.names = ["a"]

    def forward(self, x: Tensor) -> Tensor:
        return torch.tanh(self.lin(x)) * self.k


def attr(n, name):
    k = n.kindOf(name)
    v = getattr(n, k)(name)
    if isinstance(v, Tensor):
        v = v.tolist()
    return k, v


def walk(block, depth, out):
    for n in block.nodes():
        attrs = []
        for a in n.attributeNames():
            try:
                attrs.append((a,) + attr(n, a))
            except Exception as e:
                attrs.append((a, type(e).__name__))
        ins = [i.debugName() for i in n.inputs()]
        outs = [(o.debugName(), str(o.type())) for o in n.outputs()]
        out.append(("  " * depth) + n.kind() + " in=" + str(ins) + " out=" + str(outs) + " attrs=" + str(attrs))
        for b in n.blocks():
            out.append("  " * depth + " block " + str([i.debugName() for i in b.inputs()]) + " -> " + str([o.debugName() for o in b.outputs()]))
            walk(b, depth + 1, out)
    return out


for l in walk(fn.graph, 0, []):
    print(l)
g = fn.graph
print("inputs", [(i.debugName(), str(i.type()), i.type().kind()) for i in g.inputs()])
print("outputs", [(o.debugName(), str(o.type()), o.node().kind()) for o in g.outputs()])
print("param node", g.param_node().kind(), g.return_node().kind(), len(list(g.param_node().outputs())))
print("findNode", g.findNode("aten::relu") is not None, g.findNode("prim::Loop").kind(), g.findNode("aten::nothing"))
print("findAll", [n.kind() for n in g.findAllNodes("prim::Constant")].count("prim::Constant"), len(g.findAllNodes("aten::add")), len(g.findAllNodes("aten::add", recurse=False)))
n = g.findNode("prim::If")
print("if", n.inputsSize(), n.outputsSize(), len(list(n.blocks())), n.hasAttributes(), n.hasUses() if hasattr(n, "hasUses") else "-")
print("owning", n.owningBlock() is not None if hasattr(n, "owningBlock") else "-")
fig = fn.inlined_graph
relu = fig.findNode("aten::relu")
print("schema", relu.schema(), relu.mustBeNone(), relu.isNondeterministic())
v = relu.output()
print("uses", [(u.user.kind(), u.offset) for u in v.uses()], v.unique() >= 0, v.debugName())
print("type", v.type().kind(), v.type(), v.type().annotation_str, v.isCompleteTensor(), v.requires_grad() if hasattr(v, "requires_grad") else None)
print("toIValue", [c.output().toIValue() for c in fn.graph.findAllNodes("prim::Constant")])
m = torch.jit.script(Net())
for l in walk(m.graph, 0, []):
    print(l)
for l in walk(m.inlined_graph.copy(), 0, []):
    print(l)
mig = m.inlined_graph
k = [i for i in mig.findAllNodes("prim::GetAttr")]
print([(i.s("name"), i.kindOf("name"), i.hasAttribute("name"), i.hasAttribute("zz")) for i in k])
for f in (lambda: k[0].i("name"), lambda: k[0].s("zz"), lambda: k[0].output().toIValue(), lambda: list(k[0].outputs())[3]):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, str(e).strip().split("\n")[0].split(" at \"")[0])
t = torch.jit.trace(lambda a, b: (a + b).relu() * 2, (torch.ones(2, 3), torch.ones(3)))
for l in walk(t.graph, 0, []):
    print(l)
tt = t.graph.findNode("aten::relu").output().type()
print(tt, tt.sizes(), tt.strides(), tt.dtype() if hasattr(tt, "dtype") else None, tt.scalarType(), tt.dim(), tt.kind())
print([str(x.type()) for x in t.graph.inputs()])
