# nodes that are made with a number of outputs, and checks of very short texts
import torch

graph = torch._C.parse_ir(
    """graph(%x : Tensor, %y : Tensor):
  %c : int = prim::Constant[value=1]()
  %z : Tensor = aten::add(%x, %y, %c)
  %w : Tensor = aten::mul(%z, %y)
  return (%w)
"""
)
add = graph.findNode("aten::add")
node = graph.create("aten::relu", 1)
node.addInput(add.output())
node.insertAfter(add)
node.output().setDebugName("act")
graph.findNode("aten::mul").replaceInput(0, node.output())
graph.lint()
print(graph)
pair = graph.create("prim::TupleUnpack", 2)
print([o.debugName() != "" for o in pair.outputs()], len(list(pair.outputs())))
print(len(list(graph.create("prim::Constant").outputs())), len(list(graph.create("aten::neg", [add.output()]).outputs())))
for text in ("b", "bc"):
    try:
        torch._C.FileCheck().check("x").run(text)
    except RuntimeError as e:
        print(repr(str(e)))
