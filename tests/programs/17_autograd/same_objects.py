import torch, gc, weakref, copy, pickle
from torch import nn
x = torch.ones(3, requires_grad=True)
y = (x * 2).sum(); y.backward()
print(x.grad is x.grad, y.grad_fn is not None)
z = torch.zeros(2); w = z.add_(1); print(w is z, z.view(2) is z, z.to(torch.float32) is z, z.contiguous() is z, z.float() is z, z.detach() is z)
z += 1; print(w is z)
l = nn.Linear(2, 2); s = torch.jit.script(l)
print(s.weight is l.weight, type(s.weight).__name__, list(s.parameters())[0] is l.weight)
@torch.jit.script
def f(a, b):
    return {"a": a, "b": b}, (a, [b, a])
a, b = torch.ones(1), torch.ones(2)
d, (p, q) = f(a, b); print(d["a"] is a, p is a, q[0] is b, q[1] is a)
pp = nn.Parameter(torch.ones(2)); pp.tag = 3
class M(nn.Module):
    def __init__(self, p):
        super().__init__(); self.p = p; self.q = p
    def forward(self, x): return self.p
m = torch.jit.script(M(pp)); r = m(a); print(r is pp, m.p is pp, m.q is pp, getattr(r, 'tag', None))
r = weakref.ref(a); ident = id(a); st = [a]; a = None; d = p = q = st = None; gc.collect(); print(r() is None)
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): ctx.save_for_backward(x); ctx.x = x; return x * 2
    @staticmethod
    def backward(ctx, g): print(ctx.saved_tensors[0] is ctx.x); return g * 2
F.apply(x).sum().backward()
opt = torch.optim.SGD(l.parameters(), lr=.1); print(opt.param_groups[0]['params'][0] is l.weight)
u = torch.ones(2); v = copy.copy(u); print(v is u, torch.equal(u, v)); 
outs = torch.ones(2); o2 = torch.add(u, u, out=outs); print(o2 is outs)
print({u: 1}[u], u in [u], [u].index(u))
def hook(g): return g * 2
h = x.register_hook(hook); (x * 1).sum().backward(); print(x.grad)
fut = torch.jit.fork(lambda t: t, u); print(torch.jit.wait(fut) is u)
