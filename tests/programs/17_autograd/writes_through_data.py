# Writes through `.data` are counted apart: what was recorded does not notice them, other writes it does.
import copy
import pickle
import torch

w = torch.ones(2, requires_grad=True)
y = (w * w).sum()
w.data.mul_(2)
y.backward()
print(w.grad, w)
t = torch.ones(3)
d = t.data
d.add_(1)
d.add_(1)
e = t.detach()
print(d._version, t._version, e._version, t)
e.add_(1)
print(d._version, t._version, e._version, t)
t.data[0] = 9.0
print(t, t._version, t.data._version, t.data.data_ptr() == t.data_ptr(), t.data.untyped_storage().data_ptr() == t.untyped_storage().data_ptr())
for write in (lambda v: v.data.zero_(), lambda v: v.detach().zero_()):
    v = torch.ones(2, requires_grad=True)
    u = v * 3
    out = (u * u).sum()
    write(u)
    try:
        out.backward()
        print(v.grad)
    except RuntimeError as error:
        print(str(error).split(":")[0])
# Packed weights are not used beyond such writes.
layer = torch.nn.Linear(64, 64, bias=False)
x = torch.ones(4, 64)
with torch.no_grad():
    layer.weight.data.fill_(1.0)
    print([layer(x).sum().item() for _ in range(4)])
    layer.weight.data.mul_(2)
    print([layer(x).sum().item() for _ in range(4)])
    view = layer.weight.data
    view[0] = 0.0
    print([layer(x).sum().item() for _ in range(4)])


@torch.jit.script
def scripted(a: torch.Tensor) -> torch.Tensor:
    b = a.data
    b.add_(1)
    return a


print(scripted(torch.zeros(2)))
g = torch.Generator().manual_seed(3)
torch.rand(2, generator=g)
h, i = copy.deepcopy(g), pickle.loads(pickle.dumps(g))
print(torch.rand(2, generator=g), torch.rand(2, generator=h), torch.rand(2, generator=i), i.initial_seed(), type(i) is torch._C.Generator)
print([n for n in ("keys", "items", "append", "get", "startswith", "linear", "std_mean", "gelu", "values", "index") if hasattr(t, n)])
