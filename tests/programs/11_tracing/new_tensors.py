# How a trace takes the tensors that a program makes of lists, arrays and other tensors, and modules with several places.
import re
import warnings

import numpy as np
import torch

warnings.simplefilter("ignore")


def shown(name, function, example=None):
    example = torch.ones(2, 3) if example is None else example
    graph = str(torch.jit.trace(function, example, check_trace=False).graph)
    print(name)
    print(re.sub(r" # .*", "", graph))


shown("tensor of an array", lambda x: x + torch.tensor(np.ones(3, dtype=np.float32)))
shown("as_tensor of an array", lambda x: x + torch.as_tensor(np.ones(3, dtype=np.float32)))
shown("new_tensor of whole numbers", lambda x: x + x.new_tensor(np.array((0, 1, 2))))
shown("FloatTensor", lambda x: x + torch.FloatTensor([1.0, 2, 3]))
shown("FloatTensor of an array", lambda x: x + torch.FloatTensor(np.ones(3)))
shown("FloatTensor of a tensor", lambda x: x + torch.FloatTensor(x))
shown("Tensor", lambda x: x + torch.Tensor([1.0, 2, 3]))
shown("LongTensor", lambda x: x + torch.LongTensor([1, 2, 3]))
shown("new", lambda x: x + x.new([1.0, 2, 3]))
shown("asarray", lambda x: x + torch.asarray([1.0, 2, 3]))
print(torch.jit.trace(lambda x: torch.autograd.Variable(x) + x, torch.ones(2)).code)


def assigned(place):
    def run(x, scope={}):
        y = x.clone()
        exec(f"y[{place}] = 2.", {"y": y, "x": x, "i": torch.tensor([0, 1]), "b": torch.tensor([True, False])})
        return y

    trace = torch.jit.trace(run, torch.ones(2, 3, 4), check_trace=False)
    kinds = [node.kind() for node in trace.graph.nodes() if not node.kind().startswith("prim::")]
    print(place, kinds, trace(torch.zeros(2, 3, 4)).sum().item())


for place in ("i", "[0, 1]", "0, [1, 2]", ":, [1, 2]", "b", "..., i", "i, 0", "i, i", "x > 0", ":, i, None"):
    assigned(place)


class Block(torch.nn.Module):
    def __init__(self, activation):
        super().__init__()
        self.first = torch.nn.Linear(2, 2)
        self.activation = activation

    def forward(self, x):
        return self.activation(self.first(x)) + x


class Shared(torch.nn.Module):
    def __init__(self):
        super().__init__()
        activation = torch.nn.ReLU()
        self.a, self.b = Block(activation), Block(activation)
        self.c = torch.nn.Linear(2, 2)
        self.d = self.c

    def forward(self, x):
        return self.d(self.b(self.a(x)))


torch.manual_seed(0)
model = Shared()
trace = torch.jit.trace(model, torch.ones(1, 2))
names = re.findall(r'GetAttr\[name="(\w+)"\]\((%\w+)', str(trace.graph))
print(names, torch.equal(trace(torch.ones(3, 2)), model(torch.ones(3, 2))))


def asked(x):
    print(torch._C._is_tracing(), torch.jit.is_tracing())
    return x + 1


torch.jit.trace(asked, torch.ones(1), check_trace=False)
print(torch._C._is_tracing())
q = torch.randn(2, 5, 4)
print(torch.nn.functional._mha_shape_check(q, q, q, None, None, 2), torch.nn.functional._mha_shape_check(q[0], q[0], q[0], None, None, 2))
