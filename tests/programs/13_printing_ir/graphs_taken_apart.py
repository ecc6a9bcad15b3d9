"""Functions of torch._C on graphs, types and declarations that passes of programs call."""
import torch
from torch import nn

C = torch._C
INT, FLOAT, TENSOR = C.IntType.get(), C.FloatType.get(), C.TensorType.get()


def report(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


for types in ([INT, INT], [INT, FLOAT], [C.OptionalType(INT), INT], [TENSOR, INT], [], [C.NoneType.get(), INT]):
    report(lambda: C.unify_type_list(types))
operator, overloads = C._jit_get_operation("aten::relu")
print(operator(torch.tensor([-1.0, 1.0])), overloads, C._jit_get_operation("aten::nothing"))
print(C.parse_type_comment("# type: (int, int) -> int"))
print(C.parse_type_comment("# type: (int, List[int])"))
print(C._parse_source_def("def f(x: int) -> int:\n    return x\n"))
print(C._jit_set_num_profiled_runs(3), C._jit_get_num_profiled_runs(), C._jit_set_num_profiled_runs(1))
print(C._jit_texpr_fuser_enabled(), C.SymIntType.get(), C.PyObjectType.get().kind(), C.JITException is torch.jit.Error)
print([a.is_write for a in C.parse_schema("aten::add_(Tensor(a!) self, Tensor other) -> Tensor(a!)").arguments])


class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(2, 2)
        self.second = nn.Linear(2, 2)
        self.register_buffer("shift", torch.ones(2))

    def forward(self, x):
        return self.second(self.first(x)) + self.shift


traced = torch.jit.trace(Layers(), torch.ones(1, 2))
graph, tensors = C._jit_pass_lower_graph(traced.forward.graph, traced._c)
print([str(v.type()) for v in graph.inputs()], [tuple(t.shape) for t in tensors], [n.kind() for n in graph.nodes()])


@torch.jit.script
def f(x):
    return x * 2 + 1


graph = f.graph.copy()
product = list(graph.nodes())[2]
cut = graph.create("aten::relu", [product.output()], 1)
cut.insertAfter(product)
cut.copyMetadata(product)
print(cut.sourceRange() == product.sourceRange())
product.output().replaceAllUsesAfterNodeWith(cut, cut.output())
print(graph)

graph = C.parse_ir(
    """
graph(%x : Tensor, %n : int):
  %one : int = prim::Constant[value=1]()
  %more : int = aten::add(%n, %one)
  %y : Tensor = aten::add(%x, %more, %one)
  return (%y)
"""
)
C._jit_pass_erase_number_types(graph)
print(graph)
