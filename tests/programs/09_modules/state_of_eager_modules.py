# eager modules: registration, state dictionaries, errors, printing, copies
import collections
import copy
import pickle

import torch
import torch.nn as nn

def err(f, *args):
    try:
        print(f(*args))
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")


class Lin(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(o, i))
        self.bias = nn.Parameter(torch.zeros(o))

    def forward(self, x):
        return x @ self.weight.t() + self.bias

    def extra_repr(self):
        return f"{self.weight.shape[1]} to {self.weight.shape[0]}"


class Act(nn.Module):
    def forward(self, x):
        return x.relu()


class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = Lin(2, 3)
        self.b = nn.Sequential(Lin(3, 3), Act(), Lin(3, 1))
        self.register_buffer("seen", torch.zeros(1))
        self.register_buffer("scratch", torch.zeros(1), persistent=False)
        self.l = nn.ModuleList([Act(), Act(), Lin(1, 1)])

    def forward(self, x):
        return self.b(self.a(x))


m = M()
print(m)
print(list(m.state_dict()), [n for n, _ in m.named_buffers()], [n for n, _ in m.named_modules()])
print(m(torch.ones(1, 2)).detach(), m.a.bias)
bad = collections.OrderedDict(m.state_dict())
del bad["a.bias"]
bad["zz"] = torch.ones(1)
bad["seen"] = torch.ones(3)
err(m.load_state_dict, bad)
print(m.load_state_dict(m.state_dict()))
err(setattr, m, "a", 3)
err(setattr, m.a, "weight", torch.ones(1))
err(m.register_buffer, "a.b", torch.ones(1))
err(m.register_parameter, "w", torch.ones(1))
err(m.add_module, "forward", Act())
err(lambda: m.missing)
err(nn.Module(), 1)
err(m.to, torch.int64)
print(m.double().a.bias.dtype, m.half().seen.dtype, m.float().a.bias.dtype, m.eval().training, m.b[0].training)
c = copy.deepcopy(m)
print(c.a.weight is m.a.weight, type(c.a.weight).__name__, pickle.loads(pickle.dumps(m)).a)
handle = m.a.register_forward_hook(lambda module, args, out: out * 0)
print(m.a(torch.ones(2)).detach())
handle.remove()
print(m.a(torch.ones(2)).detach(), m.b[-1], len(m.b), m.b[:2])
