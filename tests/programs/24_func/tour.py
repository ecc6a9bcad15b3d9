# A tour of torch.func: vmap, gradients, Jacobians, linearize, functionalize, ensembles.
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import (functional_call, functionalize, grad, grad_and_value, hessian, jacfwd, jacrev, jvp, linearize,
                        stack_module_state, vjp, vmap)

torch.set_printoptions(precision=4, linewidth=110)
torch.manual_seed(23)


def err(name, fn):
    try:
        r = fn()
        print(f"{name}: no error -> {type(r).__name__}")
    except Exception as e:
        print(f"{name}: {type(e).__name__}: {(str(e).splitlines() or [''])[0][:200]}")


A, B = torch.randn(3, 4), torch.randn(3, 4)
print("== vmap")
print(vmap(torch.dot)(A, B), torch.allclose(vmap(torch.dot)(A, B), (A * B).sum(1), atol=1e-6))
print(vmap(torch.dot, in_dims=(0, None))(A, B[0]), vmap(torch.dot, in_dims=1)(A, B).shape, vmap(torch.dot, in_dims=(1, 1))(A, B))
print(vmap(lambda x: x.cumsum(0), in_dims=1, out_dims=1)(A).shape, vmap(lambda x: (x, x.sum()), out_dims=(1, 0))(A)[0].shape)
print(vmap(vmap(torch.mul, (0, None)), (None, 0))(torch.arange(3.0), torch.arange(2.0)))
print(vmap(lambda d: d["a"] * d["b"], in_dims=({"a": 0, "b": None},))({"a": A, "b": torch.tensor(2.0)}).shape, vmap(lambda t, s: t[0] + t[1] * s, in_dims=((0, None), None))((A, B[0]), 3).shape)
print(vmap(lambda x: torch.where(x > 0, x, -x).max())(A), vmap(lambda x: torch.stack([x, x * 2]).T)(A).shape, vmap(lambda x: x.sort().values)(A)[0], vmap(lambda x, i: x[i])(A, torch.tensor([0, 3, 1])))
print(torch.allclose(vmap(torch.linalg.inv)(torch.eye(3).expand(2, 3, 3) * 2), torch.eye(3).expand(2, 3, 3) / 2), vmap(lambda m, v: m @ v)(torch.randn(3, 2, 4), A).shape, vmap(F.softmax, in_dims=(0, None))(A, 0).sum(1))
print(torch.equal(vmap(torch.sin, chunk_size=2)(A), A.sin()), vmap(lambda x: x.view(2, 2).transpose(0, 1).contiguous())(A).shape)
for rnd in ("error", "different", "same"):
    torch.manual_seed(0)
    try:
        print(rnd, vmap(lambda x: x + torch.randn(2), randomness=rnd)(torch.zeros(3)))
    except Exception as e:
        print(rnd, type(e).__name__, str(e).splitlines()[0][:90])
torch.manual_seed(0)
print(vmap(lambda x: F.dropout(x, 0.5), randomness="different")(torch.ones(2, 6)), vmap(lambda x: F.dropout(x, 0.5), randomness="same")(torch.ones(2, 6)))
conv = vmap(lambda x, w: F.conv1d(x, w), in_dims=(0, 0))(torch.randn(3, 1, 2, 6), torch.randn(3, 4, 2, 3))
print(conv.shape, vmap(lambda x: F.layer_norm(x, (4,)))(A).mean(1).abs() < 1e-6, vmap(lambda x: torch.einsum("i,j->ij", x, x))(A).shape, vmap(lambda q: q.unfold(0, 2, 1))(A).shape)

print("== grad / vjp / jvp")
f = lambda x: (x.sin() * x).sum()
x = torch.tensor([0.5, 1.0, -2.0])
print(grad(f)(x), x.cos() * x + x.sin(), grad(grad(lambda t: t ** 4))(torch.tensor(2.0)), grad(grad(grad(torch.sin)))(torch.tensor(0.3)))
print(grad_and_value(f)(x), grad(lambda a, b: (a * b).sum(), argnums=1)(A, B).equal(A), [g.shape for g in grad(lambda a, b: (a * b).sum(), argnums=(0, 1))(A, B)])
g, aux = grad(lambda a: (a.pow(2).sum(), {"n": a.norm()}), has_aux=True)(x)
print(g, aux, grad_and_value(lambda a: (a.pow(2).sum(), a.norm()), has_aux=True)(x))
out, pull = vjp(lambda a: a ** 3, x)
print(out, pull(torch.ones(3)), vmap(pull)(torch.eye(3)))
o, pull2, ax = vjp(lambda a, b: ((a * b).sum(), a.sum()), x, x * 2, has_aux=True)
print(o, pull2(torch.tensor(1.0)), ax)
print(jvp(lambda a: a.exp(), (x,), (torch.tensor([1.0, 0.0, 2.0]),)), jvp(lambda a, b: {"s": a * b}, (x, x), (torch.ones(3), torch.zeros(3))), jvp(lambda a: (a ** 2, a.sum()), (x,), (torch.ones(3),), has_aux=True))
lin_o, lin = linearize(lambda a: a.sin() + a ** 2, x)
print(lin_o, lin(torch.ones(3)), torch.allclose(lin(torch.ones(3)), jvp(lambda a: a.sin() + a ** 2, (x,), (torch.ones(3),))[1]))

print("== jacobians")
W = torch.randn(2, 3)
net = lambda w, v: torch.tanh(w @ v)
J1, J2 = jacrev(net)(W, x), jacfwd(net)(W, x)
print(J1.shape, torch.allclose(J1, J2, atol=1e-6), [j.shape for j in jacrev(net, argnums=(0, 1))(W, x)], jacrev(lambda a: {"p": a ** 2, "q": a.sum()})(x))
print(jacfwd(lambda a: (a ** 2, a.prod()))(x), jacrev(lambda a: (a.exp(), a), has_aux=True)(x)[1], jacrev(lambda a: a * 2, chunk_size=1)(x))
H = hessian(lambda a: (a ** 3).sum() * a[0])(x)
print(H, torch.allclose(H, jacrev(jacrev(lambda a: (a ** 3).sum() * a[0]))(x)), torch.allclose(H, torch.autograd.functional.hessian(lambda a: (a ** 3).sum() * a[0], x)))
hvp = lambda fun, p, t: jvp(grad(fun), (p,), (t,))[1]
print(hvp(lambda a: (a ** 3).sum() * a[0], x, torch.tensor([1.0, 0.0, 1.0])), H @ torch.tensor([1.0, 0.0, 1.0]))
print(vmap(jacrev(lambda v: v ** 2))(A).shape, vmap(hessian(lambda v: (v ** 3).sum()))(A).diagonal(dim1=1, dim2=2).allclose(6 * A))
lap = lambda fun: lambda p: torch.trace(hessian(fun)(p))
print(vmap(lap(lambda p: (p ** 2).sum() + p[0] * p[1]))(torch.randn(4, 2)))

print("== functional_call, per-sample grads, ensembles")
torch.manual_seed(1)
mlp = nn.Sequential(nn.Linear(4, 5), nn.ReLU(), nn.Linear(5, 2))
params = {k: v.detach() for k, v in mlp.named_parameters()}
data, tgt = torch.randn(6, 4), torch.tensor([0, 1, 0, 1, 1, 0])


def loss_fn(p, d, t):
    return F.cross_entropy(functional_call(mlp, p, (d.unsqueeze(0),)), t.unsqueeze(0))


ps = vmap(grad(loss_fn), in_dims=(None, 0, 0))(params, data, tgt)
print({k: tuple(v.shape) for k, v in ps.items()})
F.cross_entropy(mlp(data), tgt).backward()
print({k: torch.allclose(ps[k].mean(0), p.grad, atol=1e-6) for k, p in mlp.named_parameters()}, ps["2.bias"], ps["0.weight"].flatten(1).norm(dim=1))
models = [nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3, track_running_stats=True), nn.Linear(3, 1)).eval() for _ in range(3)]
P, Bf = stack_module_state(models)
print({k: tuple(v.shape) for k, v in P.items()}, {k: tuple(v.shape) for k, v in Bf.items()})
import copy
base = copy.deepcopy(models[0]).to("meta")
preds = vmap(lambda p, b, d: functional_call(base, (p, b), (d,)), in_dims=(0, 0, None))(P, Bf, data)
print(preds.shape, torch.allclose(preds, torch.stack([m(data) for m in models]), atol=1e-6))
tied = nn.Linear(4, 4, bias=False)
print(functional_call(tied, {"weight": torch.eye(4)}, (data[0],)).equal(data[0]), functional_call(mlp, {"0.bias": torch.zeros(5)}, args=(data,)).shape, mlp[0].bias is dict(mlp.named_parameters())["0.bias"])
lr, theta = 0.5, {"w": torch.zeros(1), "b": torch.zeros(1)}
model = lambda p, q: p["w"] * q + p["b"]
mse = lambda p, q, y: ((model(p, q) - y) ** 2).mean()


def maml(p, sx, sy, qx, qy):
    inner = grad(mse)(p, sx, sy)
    return mse({k: p[k] - 0.1 * inner[k] for k in p}, qx, qy)


for i in range(4):
    sl = torch.tensor([1.0, 2.0, -1.0])
    xs = torch.linspace(-1, 1, 5).expand(3, 5)
    gs = vmap(grad(maml), in_dims=(None, 0, 0, 0, 0))(theta, xs, xs * sl[:, None] + 1, xs + 0.1, (xs + 0.1) * sl[:, None] + 1)
    theta = {k: v - lr * gs[k].mean(0) for k, v in theta.items()}
    print("maml", i, {k: round(v.item(), 4) for k, v in theta.items()})
jac = vmap(jacrev(lambda p, d: functional_call(mlp, p, (d,))), (None, 0))(params, data)
ntk = sum(torch.einsum("naf,mbf->nmab", j.flatten(2), j.flatten(2)) for j in jac.values())
print("ntk", ntk.shape, ntk[0, 0], torch.linalg.eigvalsh(ntk[:, :, 0, 0]).min() > -1e-4)

print("== functionalize, in-place, control")
log = []


def inpl(v):
    y = v.clone()
    y.mul_(2)
    y[0] = 5.0
    return y


print(functionalize(inpl)(x), vmap(inpl)(A)[:, 0], grad(lambda v: inpl(v).sum())(x))
fx = torch.fx.experimental.proxy_tensor.make_fx(functionalize(inpl, remove="mutations_and_views"))(x)
print([n.target if isinstance(n.target, str) else str(n.target) for n in fx.graph.nodes][:4])
print(vmap(lambda v: v.clone().index_fill_(0, torch.tensor([1]), 9.0))(A)[:, :2], vmap(lambda v, w: v.clone().add_(w))(A, B).equal(A + B))

print("== errors")
err("data dep", lambda: vmap(lambda v: v if v.sum() > 0 else -v)(A))
err("item", lambda: vmap(lambda v: v.sum().item())(A))
err("sizes", lambda: vmap(torch.mul)(A, torch.ones(2, 4)))
err("no tensors", lambda: vmap(lambda s: s)(3.0))
err("in_dims struct", lambda: vmap(torch.mul, in_dims=(0,))(A, B))
err("in_dims oob", lambda: vmap(torch.sin, in_dims=2)(A))
err("all none", lambda: vmap(torch.mul, in_dims=(None, None))(A, B))
err("out type", lambda: vmap(lambda v: "s")(A))
err("out_dims", lambda: vmap(torch.sin, out_dims=3)(A))
err("inplace unbatched", lambda: vmap(lambda v, w: w.add_(v), in_dims=(0, None))(A, torch.zeros(4)))
err("dynamic", lambda: vmap(lambda v: v.nonzero())(A))
err("grad nonscalar", lambda: grad(torch.sin)(x))
err("grad int", lambda: grad(lambda v: v.sum())(torch.arange(3)))
err("grad out tuple", lambda: grad(lambda v: (v.sum(), 1, 2))(x))
err("aux type", lambda: grad_and_value(lambda a: (a.sum(), a.shape), has_aux=True)(x))
err("argnums", lambda: grad(f, argnums=1)(x))
err("jvp shape", lambda: jvp(torch.sin, (x,), (torch.ones(2),)))
err("jvp type", lambda: jvp(torch.sin, x, x))
err("fc unexpected", lambda: functional_call(mlp, {"nope": torch.zeros(1)}, (data,), strict=True))
err("fc missing", lambda: functional_call(mlp, {"0.bias": torch.zeros(5)}, (data,), strict=True))
err("stack mix", lambda: stack_module_state([nn.Linear(2, 2), nn.Linear(2, 2).eval()]))
err("stack empty", lambda: stack_module_state([]))
err("chunk", lambda: vmap(torch.sin, chunk_size=0)(A))
