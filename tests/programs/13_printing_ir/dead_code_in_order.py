"""Writes count only for what is read later."""

import torch


@torch.jit.script
def one_kept():
    a = torch.rand(2, 3)
    a += torch.rand(2, 3)
    b = torch.rand(2, 3)
    if bool(a > torch.zeros(2, 3)):
        b += torch.rand(2, 3)
        a += torch.rand(2, 3)
    return b


@torch.jit.script
def grown(n: int):
    xs = [1]
    for i in range(n):
        xs.append(i)
    ys = [2]
    k = len(ys)
    ys.append(k)
    return xs, k


for f in (one_kept, grown):
    kinds = []
    pending = list(f.graph.nodes())
    while pending:
        node = pending.pop(0)
        kinds.append(node.kind())
        for block in node.blocks():
            pending.extend(block.nodes())
    print(sorted(kind for kind in kinds if kind.startswith("aten")))
print(grown(3))

text = """graph(%x.1 : Tensor):
  %1 : int = prim::Constant[value=1]()
  %2 : int[] = prim::ListConstruct(%1)
  %3 : Tensor = aten::view(%x.1, %2)
  %4 : Tensor = aten::add_(%3, %1, %1)
  %5 : int[] = aten::append(%2, %1)
  return (%x.1)
"""
for name in ("_jit_pass_dce", "_jit_pass_dce_graph"):
    graph = torch._C.parse_ir(text)
    getattr(torch._C, name)(graph)
    print(name, [node.kind() for node in graph.nodes()])
