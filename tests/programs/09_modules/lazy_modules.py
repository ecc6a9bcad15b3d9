# Lazy modules take sizes from their first input and become the modules that they stand for.
import copy
import torch
from torch import nn


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, str(e).split("\n")[0])


l = nn.LazyLinear(3)
print(l, l.in_features, l.weight, type(l.weight).__name__, l.has_uninitialized_params(), isinstance(l, nn.Linear))
attempt(lambda: l.weight.shape)
attempt(lambda: l.weight + 1)
attempt(lambda: torch.jit.script(l))
torch.manual_seed(0)
l(torch.ones(2, 5))
torch.manual_seed(0)
print(l, type(l).__name__, torch.equal(l.weight, nn.Linear(5, 3).weight))
for lazy, shape in [
    (nn.LazyConv1d(4, 3), (1, 2, 5)),
    (nn.LazyConv2d(4, 3, padding=1, bias=False), (1, 2, 4, 4)),
    (nn.LazyConvTranspose2d(4, 3, stride=2), (1, 3, 4, 4)),
    (nn.LazyBatchNorm1d(), (2, 3)),
    (nn.LazyBatchNorm2d(affine=False), (2, 3, 4, 4)),
    (nn.LazyInstanceNorm2d(), (2, 3, 4, 4)),
]:
    before = repr(lazy)
    print(before, lazy(torch.ones(shape)).shape, lazy)
attempt(lambda: nn.LazyConv1d(4, 3)(torch.ones(2)))
s = nn.Sequential(nn.LazyLinear(4), nn.ReLU(), nn.LazyLinear(2))
s(torch.ones(1, 3))
print(torch.jit.script(s)(torch.ones(1, 3)).shape)
fresh, known = nn.LazyLinear(3), nn.Linear(5, 3)
print(fresh.load_state_dict(known.state_dict()), fresh, torch.equal(fresh.weight, known.weight))
attempt(lambda: known.load_state_dict(nn.LazyLinear(3).state_dict()))
print(copy.deepcopy(nn.LazyLinear(3)), nn.parameter.is_lazy(nn.LazyLinear(2).weight), nn.LazyLinear(2).double().weight.dtype)


class Scale(nn.modules.lazy.LazyModuleMixin, nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.parameter.UninitializedParameter()

    def initialize_parameters(self, x):
        self.w.materialize((x.shape[-1],))
        self.w.data.fill_(2)

    def forward(self, x):
        return x * self.w


print(Scale()(torch.ones(1, 3)).detach())
