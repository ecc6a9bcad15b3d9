# Which nodes an analysis of aliases moves, and what has to go along.
import torch

TEXT = """graph(%x : Tensor, %y : Tensor):
  %1 : int = prim::Constant[value=1]()
  %a : Tensor = aten::relu(%x)
  %b : Tensor = aten::neg(%a)
  %c : Tensor = aten::tanh(%y)
  %d : Tensor = aten::add_(%y, %c, %1)
  %e : Tensor = aten::exp(%y)
  return (%b, %e)"""
KINDS = ("aten::relu", "aten::neg", "aten::tanh", "aten::add_", "aten::exp")

for name in ("move_before_topologically_valid", "move_after_topologically_valid"):
    for first in KINDS:
        for second in KINDS:
            if first == second:
                continue
            graph = torch._C.parse_ir(TEXT)
            analysis = graph.alias_db()
            moved = getattr(analysis, name)(graph.findNode(first), graph.findNode(second))
            print(name, first, second, moved, [node.kind().partition("::")[2] for node in graph.nodes()])
