# Old forms of operators: factors before what they belong to; and how results lie in memory.
import warnings

import torch

x, y = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([0.5, -1.0, 2.0])
a, v, b = torch.arange(4.0).view(2, 2), torch.tensor([1.0, -1.0]), torch.arange(8.0).view(2, 2, 2)
with warnings.catch_warnings(record=True) as heard:
    warnings.simplefilter("always")
    print(torch.add(x, 2, y), x.add(2, y), x.clone().add_(-0.1, y), torch.sub(x, 2, y), x.sub(2, y), x.clone().sub_(2, y))
    print(torch.addcmul(x, 2, x, y), x.addcmul(2, x, y), x.clone().addcmul_(2, x, y))
    print(torch.addcdiv(x, 2, x, y), x.addcdiv(2, x, y), x.clone().addcdiv_(2, x, y))
    print(torch.addmm(2, a, a, a), torch.addmm(2, a, 3, a, a), a.addmm(2, a, a), a.addmm(2, 3, a, a), a.clone().addmm_(2, 3, a, a))
    print(torch.addmv(2, v, 3, a, v), torch.addmv(2, v, a, v), v.addmv(2, 3, a, v), v.clone().addmv_(2, a, v))
    print(torch.addr(2, a, 3, v, v), torch.addr(2, a, v, v), a.addr(2, 3, v, v), a.clone().addr_(2, v, v))
    print(torch.baddbmm(2, b, 3, b, b), b.baddbmm(2, b, b), torch.addbmm(2, a, 3, b, b), a.addbmm(2, b, b), a.clone().addbmm_(2, 3, b, b))
    print(torch.add(x, alpha=2, other=y), torch.add(x, 2, other=y), torch.add(x, 2, y, out=torch.empty(3)), x.addcmul(2, x, tensor2=y))
    print(torch.add(x, 2.5, 1), torch.sub(x, 2, 3))
    w = torch.ones(2, requires_grad=True)
    w.add(3, w * w).sum().backward()
    print(w.grad)
print([(h.category.__name__, str(h.message).split(" (Triggered")[0]) for h in heard])


def refused(f):
    try:
        print(f())
    except (TypeError, RuntimeError) as e:
        print(type(e).__name__, str(e).split("\n")[0])


refused(lambda: x.mul(2, y))
refused(lambda: torch.rsub(x, 2, y))
refused(lambda: x.add(x, x))
refused(lambda: x.float(1))
refused(lambda: x.half(1, 2))
refused(lambda: x.double(zzz=1))
refused(lambda: x.__delitem__(0))
refused(lambda: +torch.tensor([True]))
print(+x, torch.ones(1, 2, 3, 4).double(memory_format=torch.channels_last).stride())

t = torch.arange(6.0).view(2, 3).t()
c = torch.arange(12.0).view(1, 3, 2, 2).contiguous(memory_format=torch.channels_last)
p = torch.arange(24.0).view(2, 3, 4).permute(2, 0, 1)
for each in (t, c, p, t[::2], t[:1].expand(4, 2)):
    mask = each > 3
    made = (each.tril(), each.triu(1), each.flip(0), each.flip(-1), each.fliplr(), each.roll(1, 1), each.roll(2), each.diff(), each.diff(dim=-2))
    made += (each.masked_fill(mask, 0.5), each.masked_fill(mask, torch.tensor(2.0)), each.rot90(), torch.alias_copy(each))
    print([([step for step, size in zip(m.stride(), m.shape) if size > 1], m.sum().item()) for m in made])
    print(made[2].tolist(), made[7].tolist(), made[9].tolist())
print([r.tolist() for r in torch.ones(2, 3).lu()[:2]])

q = torch.quantize_per_tensor(torch.arange(6.0).view(2, 3), 0.1, 3, torch.quint8)
r = torch.quantize_per_channel(torch.arange(6.0).view(2, 3), torch.tensor([0.1, 0.2]), torch.tensor([0, 1]), 0, torch.qint8)
m = torch.tensor([[True, False, True]])
print(torch.empty_like(q).copy_(q).int_repr().tolist(), torch.empty_like(r).copy_(r).int_repr().tolist())
print(torch.ones_like(q).int_repr().tolist(), torch.full_like(q, 0.5).int_repr().tolist(), torch.ones_like(r).int_repr().tolist())
print(q.masked_fill(m, 1.0).int_repr().tolist(), q.clone().masked_fill_(m, 1.0).int_repr().tolist(), q.masked_fill(m, 0.0).q_scale())
print(q.max(0)[0].int_repr().tolist(), q.max(0)[1].tolist(), q.min(1)[0].int_repr().tolist(), q.new_empty(2).shape)
