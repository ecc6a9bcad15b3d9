# Deep copies of scripted modules: parameters become results of clone, states go through the methods of the class
import copy

import torch
from torch import nn


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(1, 1)
        self.b = self.a
        self.w = self.a.weight
        self.register_buffer("z", torch.ones(2))
        self.y = self.z

    def forward(self, x):
        return self.a(x) + self.b(x)


tied = copy.deepcopy(torch.jit.script(Tied()))
print([(name, p.is_leaf, type(p.grad_fn).__name__) for name, p in tied.named_parameters()])
print(tied.w.data_ptr() == tied.a.weight.data_ptr(), tied.z.data_ptr() == tied.y.data_ptr())
try:
    torch.optim.SGD(tied.parameters(), 0.1)
except ValueError as error:
    print(error)
with torch.no_grad():
    print([p.is_leaf for p in copy.deepcopy(torch.jit.script(Tied())).parameters()])


class Packed(nn.Module):
    def __init__(self, k: float):
        super().__init__()
        self.w = nn.Parameter(torch.tensor([1.0, 2.0]))
        self.k = k

    @torch.jit.export
    def __getstate__(self):
        return (self.w, self.k, self.training)

    @torch.jit.export
    def __setstate__(self, state: "tuple[torch.Tensor, float, bool]"):
        self.w = state[0] * 2
        self.k = state[1] + 1.0
        self.training = state[2]

    def forward(self, x):
        return x * self.w + self.k


packed = torch.jit.script(Packed(1.0))
print(copy.deepcopy(packed)(torch.ones(2)).tolist(), packed.__getstate__()[1:])
packed.__setstate__((torch.ones(2), 3.0, True))
print(packed(torch.ones(2)).tolist())
