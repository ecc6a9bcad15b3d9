"""grad, vjp, jvp, Jacobians, Hessians, linearize: values, forms, nesting."""
import torch
from torch.func import grad, grad_and_value, hessian, jacfwd, jacrev, jvp, linearize, vjp, vmap

x = torch.tensor([0.1, 0.5, -0.3])
y = torch.tensor([1.0, -2.0, 3.0])
f = lambda a: a.sin().sum()
print(grad(f)(x))
print(grad(grad(lambda a: a**4))(torch.tensor(2.0)), grad(grad(grad(torch.sin)))(torch.tensor(0.7)))
print(grad_and_value(lambda a, b: (a * b).sum(), argnums=(0, 1))(x, y))
print(grad(lambda a, b: (a * b).sum(), argnums=-1)(x, y))
print(grad(lambda a: (a.exp().sum(), {"twice": a * 2}), has_aux=True)(x))
print(grad(lambda p: (p["w"] * x + p["b"][0]).pow(2).sum())({"w": y, "b": [torch.tensor(0.5)]}))
print(grad(lambda a: torch.tensor(3.0))(x))
print(vmap(grad(lambda a: a**3))(x))

# A function of a function: what the inner one closes over is a constant to it.
print(grad(lambda a: a * grad(lambda b: a * b)(torch.tensor(2.0)))(torch.tensor(3.0)))
print(grad(lambda a: grad(lambda b: (a * b) ** 2)(a))(torch.tensor(2.0)))

out, pull = vjp(lambda a, b: (a * b, {"s": (a + b).sum()}), x, y)
print(out)
print(pull((torch.ones(3), {"s": torch.tensor(2.0)})))
print(vjp(lambda a: (a * 2, a.sum()), x, has_aux=True)[2])
print(vmap(vjp(torch.sin, x)[1])(torch.eye(3)))

print(jvp(lambda a: a.sin(), (x,), (torch.ones(3),)))
print(jvp(lambda a, b: {"m": a * b}, (x, y), (y, x)))
print(jvp(lambda a: torch.ones(2), (x,), (x,)))
print(jvp(lambda a: (a.cos(), a), (x,), (y,), has_aux=True))
print(jvp(grad(f), (x,), (y,))[1])
print(grad(lambda a: jvp(f, (a,), (y,))[1])(x))
print(vmap(lambda t: jvp(torch.sin, (x,), (t,))[1])(torch.eye(3)))

print(jacrev(lambda a: a.outer(a))(x))
print(jacfwd(torch.sin)(x))
print(jacrev(lambda a, b: (a * b, a.sum()), argnums=(0, 1))(x, y))
print(jacrev(lambda a: {"k": a.cumsum(0)})(x)["k"])
print(jacrev(lambda p: p["a"] * 2)({"a": x})["a"])
print(jacfwd(lambda a: (a * 2, a.sum()), has_aux=True)(x))
print(jacrev(lambda a: a.prod(), chunk_size=1)(x))
print(hessian(lambda a: (a**3).sum() + a[0] * a[1])(x))
print(jacfwd(jacrev(lambda a: a.prod().exp()))(x), jacrev(jacfwd(lambda a: a.prod().exp()))(x))
print(hessian(lambda a, b: (a * b).sum() ** 2, argnums=(0, 1))(x, y)[0][1])
print(vmap(jacrev(torch.sin))(x.expand(2, 3)).shape, vmap(hessian(f))(x.expand(2, 3)).shape)
wide = jacfwd(lambda a: a.sum() * torch.arange(20.0))(x)
print(wide.shape, wide[3])

out, push = linearize(lambda a, b: a * b.exp(), x, y)
print(out, push(torch.ones(3), torch.zeros(3)), push(torch.zeros(3), torch.ones(3)))


def tell(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, str(e))


tell(lambda: grad(lambda a: a)(x))
tell(lambda: grad(lambda a: 1.0)(x))
tell(lambda: grad(lambda a: a.sum(), has_aux=True)(x))
tell(lambda: grad(lambda a: (a.sum(), 3), has_aux=True)(x))
tell(lambda: grad(lambda a: a.sum())(torch.ones(3, dtype=torch.long)))
tell(lambda: grad(lambda a: a.sum(), argnums=1)(x))
tell(lambda: grad(lambda a: a.sum(), argnums=(0, 0))(x))
tell(lambda: grad(lambda a: a.sum(), argnums=())(x))
tell(lambda: grad(lambda a: a.sum(), argnums="a")(x))
tell(lambda: grad(lambda a: a.sum())("a"))
tell(lambda: grad(lambda a: a.sum().backward())(x))
tell(lambda: jvp(lambda a: a, x, x))
tell(lambda: jvp(lambda a: a, (x,), (x, x)))
tell(lambda: jvp(lambda a: a, (x,), (x[0],)))
tell(lambda: jvp(lambda a: 1, (x,), (x,)))
tell(lambda: jvp(lambda a: torch.ones(3), (x,), (x,), strict=True))
tell(lambda: vjp(lambda a: 1, x))
tell(lambda: vjp(lambda a: a, x)[1](x[0]))
tell(lambda: vjp(lambda a: {"a": a}, x)[1](x))
tell(lambda: jacrev(lambda a: 1)(x))
tell(lambda: jacfwd(lambda a: 1)(x))
tell(lambda: jacrev(lambda a: a.sum(), chunk_size=0))
tell(lambda: jacfwd(lambda a: a * torch.rand(3))(x))
tell(lambda: linearize(torch.sin, x)[1](x[0]))
tell(lambda: linearize(torch.sin, x)[1](x, x))

# What surrounds a transform goes on recording.
w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
g = grad(lambda a: (a.sin() * w).sum())(x)
print(g.requires_grad, torch.autograd.grad(g.sum(), w)[0])
g = grad(lambda a: (a**3).sum())(w)
print(g.requires_grad, torch.autograd.grad(g.sum(), w)[0])
with torch.no_grad():
    print(grad(lambda a: (a**3).sum())(w).requires_grad)
print(grad(f)(x).requires_grad, vjp(torch.sin, x)[0].requires_grad, jacrev(torch.sin)(w).requires_grad)
