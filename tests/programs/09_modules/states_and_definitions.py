"""Methods from texts that others call, states without annotation, attributes of mixed values."""

import torch


class Defined(torch.jit.ScriptModule):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.full((2,), 2.0))
        self.scale = torch.jit.Attribute(0.5, float)
        print(self.scale < 1.0)
        self.define(
            """
            def twice(self, x):
                return self.once(x) * 2
            """
        )

    @torch.jit.script_method
    def once(self, x):
        return x * self.weight * self.scale

    @torch.jit.script_method
    def forward(self, x):
        return self.twice(x) + 1


print(Defined()(torch.ones(2)).tolist())


class Kept(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.x = torch.ones(2)

    @torch.jit.export
    def __getstate__(self):
        return (self.x, self.training)

    @torch.jit.export
    def __setstate__(self, state):
        self.x = state[0] + 1
        self.training = state[1]

    def forward(self):
        return self.x


kept = torch.jit.script(Kept())
print(kept._c._get_method("__setstate__").schema)


class Lost(torch.nn.Module):
    def forward(self):
        return 1

    @torch.jit.export
    def __setstate__(self, state):
        self.training = state[1]


try:
    torch.jit.script(Lost())
except Exception as e:
    print("<<" + type(e).__name__ + ">>")
    print("message", e)
    print("<<end>>")


class Mixed(torch.nn.Module):
    def __init__(self, value):
        super().__init__()
        self.value = value

    def forward(self):
        return str(self.value)


for value in ([1, None], [None, 2.0], [[1], None], [(1,), (None,)], {"a": 1, "b": None}, [None]):
    module = torch.jit.script(Mixed(value))
    print([str(n.output().type()) for n in module.graph.nodes() if n.kind() == "prim::GetAttr"], module())

print(torch.jit.script([1, None]), torch.jit.script({"a": None, "b": 2}))
rows = (torch.ones(2, 2, requires_grad=True) * 2)
print([row.requires_grad for row in rows])
x = torch.tensor([1.0, -1.0])
print(x.where(x > 0, torch.zeros(2)))
