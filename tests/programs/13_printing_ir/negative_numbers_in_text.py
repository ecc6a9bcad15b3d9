"""A number in text takes its sign along: numbers and places of values in compiled strings and loaded archives."""
import io

import torch

unit = torch.jit.CompilationUnit('''
def last(x: Tensor):
    return torch.softmax(x, -1)
def scaled(x: Tensor):
    return x * -2.5 + -x.size(0)
def mixed(x: Tensor, k: int):
    return x[-1] * -k - -3
def spaced(x: Tensor):
    return x - - 3, -1 ** 2, - 2
def least() -> int:
    return -9223372036854775807 - 1
def imaginary() -> complex:
    return -2j
''')
for name in ("last", "scaled", "mixed", "spaced", "least", "imaginary"):
    print(getattr(unit, name).graph)


class Last(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        return torch.softmax(x, -1), x[-1], -x.size(0)


buffer = io.BytesIO()
torch.jit.save(torch.jit.script(Last()), buffer)
buffer.seek(0)
loaded = torch.jit.load(buffer)
print(loaded.graph)
print(loaded.code)
print(torch.jit.annotations.try_ann_to_type(torch.Tensor, None), loaded._c._type().str())
found = [torch._C._jit_try_infer_type(v) for v in (1, [1.5], {"a": (1, "b")}, torch.ones(1), [], [1, "a"], object())]
print([f.type().annotation_str if f.success() else f.reason() for f in found])
schema = torch._C.parse_schema("f(int a, int[2] b=1) -> int")
print(schema.arguments[1].default_value, schema.is_backward_compatible_with(torch._C.parse_schema("f(int a) -> int")))
