"""Archives of frozen modules hold the classes of their constants; archives for phones load by method; names begin anew."""
import io
import warnings

import torch
from torch.jit.mobile import _load_for_lite_interpreter

warnings.simplefilter("ignore")


@torch.jit.script
class Pair:
    def __init__(self, a: int, b: int):
        self.a = a
        self.b = b


class Holder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.pair = Pair(2, 3)
        self.weight = torch.nn.Parameter(torch.ones(2))

    def forward(self, x):
        return x + self.pair.a + self.weight, self.pair


frozen = torch.jit.freeze(torch.jit.script(Holder().eval()))
objects = [n for n in frozen.graph.findAllNodes("prim::Constant") if isinstance(n.output().type(), torch._C.ClassType)]
print([torch._C._jit_object_is_non_holding(n) for n in objects])
buffer = io.BytesIO()
torch.jit.save(frozen, buffer)
buffer.seek(0)
result, pair = torch.jit.load(buffer)(torch.ones(2))
print(result.tolist(), pair.a, pair.b)



class Plain(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(2))

    def forward(self, x):
        return x + self.weight

    @torch.jit.export
    def next(self, n: int):
        return n + 1


scripted = torch.jit.script(Plain())
lite = _load_for_lite_interpreter(io.BytesIO(scripted._save_to_buffer_for_lite_interpreter()))
print(type(lite), lite(torch.ones(2)).tolist(), lite.run_method("next", 3), lite.find_method("next"), lite.find_method("none"))
for wrong in (lambda: lite.next(3), lambda: lite.run_method("none", 3), lambda: _load_for_lite_interpreter("/nowhere")):
    try:
        wrong()
    except Exception as error:
        print(type(error).__name__, error)


def of_two():
    class Model(torch.nn.Module):
        def forward(self, x):
            return x + 1

    return Model()


first = torch.jit.script(of_two())._c.qualified_name
torch._C._jit_clear_class_registry()
print(first == torch.jit.script(of_two())._c.qualified_name)
