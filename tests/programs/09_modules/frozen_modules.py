# freezing keeps what methods write and what is preserved; the rest becomes constants
import torch
import torch.nn as nn


def err(f, *args):
    try:
        print(f(*args))
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")


class Scale(nn.Module):
    def __init__(self, k):
        super().__init__()
        self.k = k
        self.w = nn.Parameter(torch.ones(2) * k)

    def forward(self, x):
        if self.training:
            x = x * 100
        return x * self.w + self.k


class Counts(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0
        self.names = ["a", "b"]
        self.register_buffer("seen", torch.zeros(2))
        self.register_buffer("fixed", torch.ones(2))
        self.first = Scale(2)
        self.rest = nn.ModuleList([Scale(3), Scale(4)])

    def forward(self, x):
        self.calls += 1
        self.seen.add_(x)
        x = self.first(x) + self.fixed
        for m in self.rest:
            x = m(x)
        for i in range(len(self.names)):
            x = x + i
        return x, self.names, self.calls

    @torch.jit.export
    def peek(self, x):
        return self.first(x) + self.calls


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.ones(2)
        self.b = self.a.view(2, 1)

    def forward(self, x):
        row = self.a[0]
        row += 1
        return self.b + x


s = torch.jit.script(Counts())
err(torch.jit.freeze, s)
err(torch.jit.freeze, Counts())
s.eval()
f = torch.jit.freeze(s)
print(f(torch.ones(2)))
print(f(torch.ones(2)), f.calls, s.calls, f.seen)
print(list(f.state_dict()), list(f.named_parameters()), hasattr(f, "names"), hasattr(f, "first"), hasattr(f, "peek"))
g = torch.jit.freeze(s, ["peek", "names"])
print(g.peek(torch.ones(2)), g.names, g.original_name)
err(torch.jit.freeze, s, ["absent"])
t = torch.jit.freeze(torch.jit.script(Tied().eval()))
print(t(torch.zeros(1)), t(torch.zeros(1)))
torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(1, 2, 1), nn.BatchNorm2d(2), nn.ReLU(), nn.Dropout(0.5)).eval()
net[1].running_mean.fill_(0.5)
frozen = torch.jit.freeze(torch.jit.script(net))
x = torch.arange(4.0).reshape(1, 1, 2, 2)
print(torch.allclose(frozen(x), net(x), atol=1e-6), "batch_norm" in str(frozen.graph), "dropout" in str(frozen.graph))
plain = torch.jit.freeze(torch.jit.script(net), optimize_numerics=False)
print(torch.equal(plain(x), net(x)), "batch_norm" in str(plain.graph))
print(torch.allclose(torch.jit.optimize_for_inference(torch.jit.script(net))(x), net(x), atol=1e-6))
