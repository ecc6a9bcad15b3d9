import torch
import torch.nn as nn
import io


def r4(t):
    return [float("%.4g" % v) for v in t.detach().flatten().tolist()]


class Codec(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(6, 4), nn.ELU(), nn.Linear(4, 2))
        self.dec = nn.Sequential(nn.Linear(2, 4), nn.Softplus(), nn.Linear(4, 6))
        self.register_buffer("mean", torch.arange(6.0) / 10)
        self.log_scale = nn.Parameter(torch.zeros(2))

    def encode(self, x):
        z = self.enc(x - self.mean)
        return z[..., :2], self.log_scale.exp()

    def decode(self, z):
        return self.dec(z) + self.mean

    def loss(self, x, beta):
        z, s = self.encode(x)
        rec = self.decode(z * s)
        return ((rec - x) ** 2).mean() + beta * z.pow(2).mean()

    def forward(self, x):
        z, s = self.encode(x)
        return self.decode(z * s)


class Stack(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleDict({"up": nn.Linear(2, 3), "down": nn.Linear(3, 2)})
        self.plist = nn.ParameterList([nn.Parameter(torch.full((2,), float(i))) for i in range(2)])

    def forward(self, x):
        for k, l in self.layers.items():
            x = l(x)
        return x + self.plist[0] - self.plist[1]

    def twice(self, x):
        return self.forward(self.forward(x))


torch.manual_seed(11)
c = Codec()
x = torch.randn(3, 6)
z = torch.randn(3, 2)
tm = torch.jit.trace_module(c, {"forward": x, "encode": x, "decode": z, "loss": (x, torch.tensor(0.1))})
print(type(tm).__name__)
for name in ("forward", "encode", "decode", "loss"):
    f = getattr(tm, name)
    print(name, f.schema)
    print(f.code)
print("eq", torch.allclose(tm(x), c(x)), torch.allclose(tm.decode(z), c.decode(z)), r4(tm.loss(x, torch.tensor(0.5))))
print(r4(tm.encode(torch.ones(1, 6))[0]))
tm.loss(x, torch.tensor(0.1)).backward()
print("grads", [(n, float("%.4g" % p.grad.abs().sum())) for n, p in c.named_parameters() if p.grad is not None][:3])
print(all(p.grad is q.grad or torch.equal(p.grad, q.grad) for p, q in zip(c.parameters(), tm.parameters())))

buf = io.BytesIO()
torch.jit.save(tm, buf)
buf.seek(0)
ld = torch.jit.load(buf)
print("loaded", sorted(n for n in ("forward", "encode", "decode", "loss", "other") if hasattr(ld, n)))
print(torch.allclose(ld.decode(z), c.decode(z)), torch.allclose(ld.loss(x, torch.tensor(2.0)), c.loss(x, torch.tensor(2.0))))
print(ld.enc.code if hasattr(ld.enc, "forward") else "enc has no forward")

s = Stack()
ts = torch.jit.trace_module(s, {"forward": torch.ones(1, 2), "twice": torch.ones(1, 2)}, check_trace=True)
print(torch.allclose(ts.twice(torch.zeros(5, 2)), s.twice(torch.zeros(5, 2))))
print([n for n, _ in ts.named_parameters()])
print([n for n, _ in ts.named_modules()])
print(ts.twice.code)

for bad in ({}, {"nope": x}, "forward"):
    try:
        torch.jit.trace_module(c, bad)
        print("ok", bad)
    except Exception as e:
        print(type(e).__name__, str(e).splitlines()[0][:80])
try:
    torch.jit.trace(c.decode, z)
except AttributeError as e:
    print(type(e).__name__, str(e).splitlines()[0])
tm2 = torch.jit.trace(c.forward, x)
print(type(tm2).__name__, torch.allclose(tm2(x), c(x)))
tm3 = torch.jit.trace(c, x, check_inputs=[(torch.randn(5, 6),), (torch.zeros(1, 6),)])
print(torch.allclose(tm3(x), c(x)))
tm3.eval()
print(tm3.training, tm3.enc.training, c.training)
tm3.double()
print(tm3(x.double()).dtype, c.mean.dtype)
print(sorted(tm3.state_dict().keys()) == sorted(c.state_dict().keys()))
