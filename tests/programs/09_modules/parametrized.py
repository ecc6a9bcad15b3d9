# parametrized modules: eager, scripted (which compiles and then refuses to run), traced
import torch
import torch.nn as nn
import torch.nn.utils.parametrize as parametrize
from torch.nn.utils.parametrizations import orthogonal


class Symmetric(nn.Module):
    def forward(self, x):
        return x.triu() + x.triu(1).transpose(-1, -2)


torch.manual_seed(0)
m = nn.Linear(3, 3)
parametrize.register_parametrization(m, "weight", Symmetric())
print(m)
print(torch.equal(m.weight, m.weight.T), sorted(m.state_dict()))
s = torch.jit.script(m)
print(s)
print(s.code)
print(s.parametrizations.weight.code)
try:
    s(torch.ones(1, 3))
except torch.jit.Error as e:
    print(str(e).strip().split("\n")[-1])
t = torch.jit.trace(m, torch.ones(1, 3))
print(torch.equal(t(torch.ones(2, 3)), m(torch.ones(2, 3))))
print(t.code)
for kind in ("matrix_exp", "cayley", "householder"):
    torch.manual_seed(1)
    o = orthogonal(nn.Linear(4, 2), orthogonal_map=kind)
    w = o.weight
    print(kind, torch.allclose(w @ w.T, torch.eye(2), atol=1e-5), sorted(o.state_dict()))
    print([round(float(v), 3) for v in w.detach().flatten()])
for arguments in ({"orthogonal_map": "none"}, {"name": "bias"}, {"name": "other"}):
    try:
        orthogonal(nn.Linear(2, 2), **arguments)
    except ValueError as e:
        print("<<ValueError>>")
        print(e)
        print("<<end>>")
try:
    parametrize.register_parametrization(nn.Linear(2, 2), "weight", nn.Flatten(0))
except ValueError as e:
    print("<<ValueError>>")
    print(e)
    print("<<end>>")
