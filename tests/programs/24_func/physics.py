"""A residual with second derivatives, Fisher information, several steps of meta-learning, products with Hessians."""
import torch, torch.nn as nn, torch.nn.functional as F
from torch.func import *
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 1))
params = dict(net.named_parameters())
u = lambda p, xy: functional_call(net, p, (xy,)).squeeze()
def residual(p, xy):
    H = hessian(u, argnums=1)(p, xy)
    return H[0, 0] + H[1, 1]
pts = torch.rand(7, 2)
loss = lambda p: vmap(residual, (None, 0))(p, pts).pow(2).mean()
l = loss(params)
l.backward()
print(f'{l.item():.5f}', f'{net[0].weight.grad.norm():.4f}', f'{net[4].weight.grad.norm():.4f}')
g = grad(loss)({k: v.detach() for k, v in params.items()})
print(f"{g['0.weight'].norm():.4f}", torch.allclose(g['0.weight'], net[0].weight.grad, atol=0.0001))
ux = vmap(jacrev(u, argnums=1), (None, 0))(params, pts)
print(ux.shape, f'{ux.sum().item():.4f}', ux.requires_grad)
X = torch.randn(5, 2)
y = torch.randint(0, 3, (5,))
clf = nn.Linear(2, 3)
cp = {k: v.detach() for k, v in clf.named_parameters()}
ll = lambda p, x, y: -F.cross_entropy(functional_call(clf, p, (x,)), y)
fisher = {k: v.pow(2).mean(0) for k, v in vmap(grad(ll), (None, 0, 0))(cp, X, y).items()}
print({k: tuple(v.shape) for k, v in fisher.items()}, f"{fisher['weight'].sum():.5f}")
J = vmap(jacrev(lambda p, x: functional_call(clf, p, (x,))), (None, 0))(cp, X)
print({k: tuple(v.shape) for k, v in J.items()})
def inner(p, x, t, steps):
    for _ in range(steps):
        gs = grad(lambda q: F.mse_loss(functional_call(net, q, (x,)), t))(p)
        p = {k: p[k] - 0.05 * gs[k] for k in p}
    return p
tx, tt = (torch.randn(4, 6, 2), torch.randn(4, 6, 1))
meta = lambda p: vmap(lambda x, t: F.mse_loss(functional_call(net, inner(p, x[:3], t[:3], 3), (x[3:],)), t[3:]), chunk_size=None)(tx, tt).mean()
dp = {k: v.detach() for k, v in params.items()}
mg, mv = grad_and_value(meta)(dp)
print(f'{mv:.5f}', [f'{v.norm():.4f}' for v in mg.values()])
tang = {k: torch.ones_like(v) for k, v in dp.items()}
o, t = jvp(lambda p: functional_call(net, p, (X,)), (dp,), (tang,))
print(o.shape, f'{t.sum().item():.4f}')
o, f_j = linearize(lambda p: functional_call(net, p, (X,)), dp)
print(torch.allclose(f_j(tang), t, atol=1e-05))
V = torch.randn(3, 2)
f = lambda x: u(dp, x)
print(torch.allclose(vmap(lambda v: jvp(grad(f), (X[0],), (v,))[1])(V), V @ hessian(f)(X[0]), atol=1e-05))
print(torch.allclose(vmap(vjp(grad(f), X[0])[1])(V)[0], V @ hessian(f)(X[0]), atol=1e-05))
torch.manual_seed(1)
s = torch.zeros(4, 2)
for _ in range(3):
    s = vmap(lambda a: a - 0.1 * grad(lambda z: (z ** 2).sum())(a) + 0.1 * torch.randn(2), randomness='different')(s)
print(s)
K = vmap(lambda a: vmap(lambda b: torch.exp(-(a - b).pow(2).sum()))(X))(X)
print(K.shape, f'{K.sum():.4f}')
print(vmap(torch.linalg.eigvalsh)(torch.stack([K, K * 2]))[:, -1])
