"""Programs of the usual tutorials: meta-learning, the neural tangent kernel, Hessian-vector products, batched Jacobians."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call, grad, hessian, jacfwd, jacrev, jvp, vjp, vmap

torch.manual_seed(0)

# Meta-learning: one step of gradients inside, the gradient of what comes after outside.
def net(x, p):
    x = torch.relu(F.linear(x, p[0], p[1]))
    return F.linear(x, p[2], p[3])


params = [torch.rand(8, 1) - 0.5, torch.zeros(8), torch.rand(1, 8) - 0.5, torch.zeros(1)]
A, phase = torch.rand(4, 1, 1) * 4 + 0.1, torch.rand(4, 1, 1) * 3
support = torch.rand(4, 5, 1) * 10 - 5
query = torch.rand(4, 5, 1) * 10 - 5


def task_loss(p, x1, x2, a, b):
    y1, y2 = a * torch.sin(x1 + b), a * torch.sin(x2 + b)

    def inner(q):
        return F.mse_loss(net(x1, q), y1)

    step = [w - 0.1 * g for w, g in zip(p, grad(inner)(p))]
    return F.mse_loss(net(x2, step), y2)


def meta_loss(p):
    return vmap(lambda *t: task_loss(p, *t))(support, query, A, phase).mean()


for w, g in zip(params, grad(meta_loss)(params)):
    print(tuple(w.shape), f"{g.norm():.4f}")


def by_tape():
    leaves = [w.clone().requires_grad_() for w in params]
    total = 0
    for i in range(4):
        y1, y2 = A[i] * torch.sin(support[i] + phase[i]), A[i] * torch.sin(query[i] + phase[i])
        gs = torch.autograd.grad(F.mse_loss(net(support[i], leaves), y1), leaves, create_graph=True)
        total = total + F.mse_loss(net(query[i], [w - 0.1 * g for w, g in zip(leaves, gs)]), y2)
    return torch.autograd.grad(total / 4, leaves)


print(all(torch.allclose(a, b, atol=1e-5) for a, b in zip(grad(meta_loss)(params), by_tape())))


# The neural tangent kernel, two ways.
class CNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, (3, 3))
        self.fc = nn.Linear(4 * 4 * 4, 3)

    def forward(self, x):
        return self.fc(self.conv(x).relu().flatten(1))


model = CNN()
weights = {k: v.detach() for k, v in model.named_parameters()}
x1, x2 = torch.randn(4, 3, 6, 6), torch.randn(2, 3, 6, 6)


def single(p, x):
    return functional_call(model, p, (x.unsqueeze(0),)).squeeze(0)


def ntk_contraction(p, a, b):
    j1 = [j.flatten(2) for j in vmap(jacrev(single), (None, 0))(p, a).values()]
    j2 = [j.flatten(2) for j in vmap(jacrev(single), (None, 0))(p, b).values()]
    return torch.stack([torch.einsum("Naf,Mbf->NMab", u, v) for u, v in zip(j1, j2)]).sum(0)


def ntk_products(p, a, b):
    def one(u, v):
        def left(q):
            return single(q, u)

        def right(q):
            return single(q, v)

        output, pull = vjp(left, p)

        def column(e):
            return jvp(right, (p,), pull(e))[1]

        return vmap(column)(torch.eye(output.numel()))

    return vmap(vmap(one, (None, 0)), (0, None))(a, b)


first, second = ntk_contraction(weights, x1, x2), ntk_products(weights, x1, x2)
print(first.shape, torch.allclose(first, second, atol=1e-3), f"{first.norm():.2f}")

# Products with the Hessian.
w = torch.randn(6)


def f(x):
    return (x.sin() * w).sum() + x.pow(4).sum()


x, v = torch.randn(6), torch.randn(6)
forward_over_reverse = jvp(grad(f), (x,), (v,))[1]
reverse_over_reverse = vjp(grad(f), x)[1](v)[0]
whole = hessian(f)(x) @ v
print(torch.allclose(forward_over_reverse, whole, atol=1e-4), torch.allclose(reverse_over_reverse, whole, atol=1e-4))

# Jacobians of a batch, and Hessians of each sample.
D, batch = 3, 5
weight, bias, xs = torch.randn(D, D), torch.randn(D), torch.randn(batch, D)


def predict(weight, bias, x):
    return F.linear(x, weight, bias).tanh()


rows = vmap(vjp(lambda a: predict(weight, bias, a), xs[0])[1])(torch.eye(D))[0]
print(torch.allclose(rows, jacrev(predict, argnums=2)(weight, bias, xs[0]), atol=1e-6))
print(torch.allclose(jacfwd(predict, argnums=2)(weight, bias, xs[0]), rows, atol=1e-6))
both = jacrev(predict, argnums=(0, 1))(weight, bias, xs[0])
print([tuple(j.shape) for j in both])
print(vmap(jacrev(predict, argnums=2), in_dims=(None, None, 0))(weight, bias, xs).shape)
print(vmap(hessian(predict, argnums=2), in_dims=(None, None, 0))(weight, bias, xs).shape)
print(jacrev(lambda w: predict(w, bias, xs).sum(0))(weight).shape)
