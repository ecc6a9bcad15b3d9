# Weights that are computed from others: parametrize, weight_norm, spectral_norm, functional_call.
import torch
from torch import nn
from torch.func import functional_call
from torch.nn.utils import parametrizations, parametrize


class Symmetric(nn.Module):
    def forward(self, x):
        return x.triu() + x.triu(1).transpose(-1, -2)

    def right_inverse(self, a):
        return a.triu()


class Double(nn.Module):
    def forward(self, x):
        return x * 2


torch.manual_seed(0)
l = nn.Linear(3, 3)
parametrize.register_parametrization(l, "weight", Symmetric())
print(l, type(l).__name__, list(l.state_dict()), torch.equal(l.weight, l.weight.t()))
print(parametrize.is_parametrized(l), parametrize.is_parametrized(l, "bias"), l.parametrizations.weight[0])
l.weight = torch.ones(3, 3)
print(l.weight.detach(), l.parametrizations.weight.original.detach())
with parametrize.cached():
    print(l.weight is l.weight)
print(l.weight is l.weight, parametrize.type_before_parametrizations(l).__name__)
parametrize.remove_parametrizations(l, "weight")
print(l, type(l.weight).__name__)
l = nn.Linear(2, 2, bias=False)
l.weight.data.fill_(1)
parametrize.register_parametrization(l, "weight", Double())
parametrize.register_parametrization(l, "weight", Double())
print(l.weight.detach(), l)
for wrong in (lambda: setattr(l, "weight", torch.ones(2, 2)), lambda: parametrize.register_parametrization(l, "nope", Double())):
    try:
        wrong()
    except Exception as error:
        print(type(error).__name__, str(error).split("\n")[0])
torch.manual_seed(0)
w = parametrizations.weight_norm(nn.Linear(2, 3))
print(list(w.state_dict()), w.parametrizations.weight.original0.shape)
torch.manual_seed(0)
s = parametrizations.spectral_norm(nn.Linear(2, 3)).eval()
print(list(s.state_dict()), s.weight.detach())
m = nn.Linear(2, 2)
print(functional_call(m, {"weight": torch.ones(2, 2), "bias": torch.zeros(2)}, (torch.ones(1, 2),)))
