# Tensors with directions: dual levels, what follows a direction and what does not, gradients of directions.
import torch
import torch.autograd.forward_ad as fwAD


def show(name, f):
    try:
        print(name, "->", f())
    except Exception as e:
        print(name, type(e).__name__, "|", str(e))


x, d = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([1.0, 0.0, -1.0])
with fwAD.dual_level():
    u = fwAD.make_dual(x, d)
    y = fwAD.unpack_dual(u * u)
    print(type(y).__name__, y.primal, y.tangent)
    print(fwAD.unpack_dual(x), fwAD.unpack_dual(u.detach()).tangent, fwAD.unpack_dual(u > 1).tangent)
    functions = {
        "sin": lambda u: u.sin().sum(), "softmax": lambda u: u.softmax(0), "norm": lambda u: u.norm(),
        "view": lambda u: u.view(3, 1),
        "slice": lambda u: u[1:], "cat": lambda u: torch.cat([u, x]),
        "where": lambda u: torch.where(u > 1.5, u * 2, u), "max": lambda u: u.max(),
        "cumsum": lambda u: u.cumsum(0), "outer": lambda u: torch.outer(u, u), "sort": lambda u: u.sort(descending=True)[0],
        "clone": lambda u: u.clone().mul_(2), "copy": lambda u: torch.zeros(3).copy_(u), "var": lambda u: u.var(),
        "linear": lambda u: torch.nn.functional.linear(u, torch.ones(2, 3)),
        "conv": lambda u: torch.nn.functional.conv1d(u.view(1, 1, 3), torch.tensor([[[1.0, -2.0]]])), "pow": lambda u: 2.0**u,
        "logsumexp": lambda u: u.logsumexp(0),
    }
    for name, f in functions.items():
        value = fwAD.unpack_dual(f(u))
        print(name, value.primal, value.tangent)
    q = x.clone()
    q[1:] = u[:2]
    print(fwAD.unpack_dual(q))
    two = fwAD.make_dual(torch.tensor([2.0, 1.0, 0.5]), torch.ones(3))
    print(fwAD.unpack_dual(u * two).tangent, fwAD.unpack_dual(u / two).tangent)
    print(fwAD.unpack_dual(torch.jit.script(torch.nn.Softplus())(u)).tangent)
    c = fwAD.make_dual(torch.tensor([1 + 2j]), torch.tensor([1j]))
    print(fwAD.unpack_dual(c * c), fwAD.unpack_dual(c.abs()))
    # The direction of a result can be differentiated.
    p = torch.nn.Parameter(x.clone())
    tangent = fwAD.unpack_dual((fwAD.make_dual(p, d) ** 3).sum()).tangent
    tangent.backward()
    print(tangent.item(), p.grad)
    show("sizes", lambda: fwAD.make_dual(x, torch.ones(2)))
    show("int", lambda: fwAD.make_dual(torch.ones(3, dtype=torch.int64), torch.ones(3)))
    show("int direction", lambda: fwAD.make_dual(x, torch.ones(3, dtype=torch.int64)))
    show("twice", lambda: fwAD.make_dual(fwAD.make_dual(x, d), d))
    show("no tensor", lambda: fwAD.unpack_dual(3))
print(fwAD.unpack_dual(x))
show("outside", lambda: fwAD.make_dual(x, d))
print(fwAD.enter_dual_level())
show("nested", fwAD.enter_dual_level)
fwAD.exit_dual_level()
show("exit", fwAD.exit_dual_level)

# Transforms: zeros have the signs that the products give them.
print(torch.func.jvp(torch.sin, (x,), (d,)), torch.func.jacfwd(lambda x: -x)(x))
print(torch.func.jacfwd(torch.relu)(torch.tensor([-1.0, 0.0, 1.0])))
result, push = torch.func.linearize(torch.sin, x)
print(result, push(d), torch.func.hessian(lambda x: (x**3).sum())(x))
