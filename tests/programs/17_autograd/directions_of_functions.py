# Functions with a jvp of their own: where directions are followed, and where gradients; backward and vjp; checks of both.
import torch
import torch.autograd.forward_ad as fwAD
from torch.func import grad, hessian, jacfwd, jacrev, jvp, vmap


def err(label, f):
    try:
        print(label, "ok", f())
    except Exception as e:
        print(label, type(e).__name__, str(e)[:400])


class Sq(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x, n):
        return x * x * n

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0])
        ctx.save_for_forward(inputs[0])
        ctx.n = inputs[1]

    @staticmethod
    def backward(ctx, g):
        return 2 * ctx.saved_tensors[0] * g * ctx.n, None

    @staticmethod
    def jvp(ctx, t, n):
        return 20 * ctx.saved_tensors[0] * t * ctx.n


class NoJ(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0])

    @staticmethod
    def backward(ctx, g):
        return 2 * ctx.saved_tensors[0] * g


class OnlyJ(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_forward(x, y)
        return x * y, x + y

    @staticmethod
    def jvp(ctx, tx, ty):
        x, y = ctx.saved_tensors
        return tx * y + ty * x, tx + ty


class Vjp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin()

    @staticmethod
    def vjp(ctx, g):
        return g * ctx.saved_tensors[0].cos()


class Both(Vjp):
    @staticmethod
    def backward(ctx, g):
        return g


class BadJ(OnlyJ):
    @staticmethod
    def jvp(ctx, tx, ty):
        return tx


class BadS(OnlyJ):
    @staticmethod
    def jvp(ctx, tx, ty):
        return tx.sum(), tx


class Inp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)

    @staticmethod
    def backward(ctx, g):
        return g * 2

    @staticmethod
    def jvp(ctx, t):
        return t.mul_(2)


class Sees(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y, k):
        ctx.set_materialize_grads(k)
        return x + y

    @staticmethod
    def jvp(ctx, a, b, k):
        print("sees", type(a).__name__, type(b).__name__, k)
        return a * 3


x = torch.tensor([1., 2., 3.])
t = torch.tensor([1., 0., 2.])
err("jvp", lambda: jvp(lambda a: Sq.apply(a, 2), (x,), (t,)))
err("jacfwd", lambda: jacfwd(lambda a: Sq.apply(a, 2))(x))
err("jacrev", lambda: jacrev(lambda a: Sq.apply(a, 2))(x))
err("vmap jvp", lambda: vmap(lambda a: jvp(lambda q: Sq.apply(q, 2), (a,), (a,)))(torch.ones(2, 3)))
err("hessian", lambda: hessian(lambda a: Sq.apply(a, 2).sum())(x))
err("jvpgrad", lambda: jvp(grad(lambda a: Sq.apply(a, 2).sum()), (x,), (t,)))
err("gradjvp", lambda: grad(lambda a: jvp(lambda b: Sq.apply(b, 2), (a,), (t,))[1].sum())(x))
err("nojvp", lambda: jvp(NoJ.apply, (x,), (t,)))


def fw(f, *a):
    with fwAD.dual_level():
        r = f(*(fwAD.make_dual(p, q) if q is not None else p for p, q in a))
        return [tuple(fwAD.unpack_dual(o)) for o in (r if isinstance(r, tuple) else (r,))]
err("fw nojvp", lambda: fw(NoJ.apply, (x, t)))
err("fw sq", lambda: fw(lambda a: Sq.apply(a, 3), (x, t)))
err("fw onlyj", lambda: fw(OnlyJ.apply, (x, t), (x, x)))
err("fw onlyj1", lambda: fw(OnlyJ.apply, (x, t), (x, None)))
err("onlyj back", lambda: OnlyJ.apply(x.clone().requires_grad_(), x)[0].sum().backward())


def vj():
    a = x.clone().requires_grad_()
    Vjp.apply(a).sum().backward()
    return a.grad
err("vjp", vj)
err("both", lambda: Both.apply(x.clone().requires_grad_()))


def bo():
    a = x.clone().requires_grad_()
    Both.apply(a).sum().backward()
    return a.grad
err("both", bo)
err("badj", lambda: fw(BadJ.apply, (x, t), (x, x)))
err("bads", lambda: fw(BadS.apply, (x, t), (x, x)))
err("inp", lambda: fw(lambda a: Inp.apply(a * 1), (x, t)))
err("sees", lambda: fw(lambda a, b: Sees.apply(a, b, True), (x, t), (x, None)))
err("sees", lambda: fw(lambda a, b: Sees.apply(a, b, False), (x, t), (x, None)))
err("gradcheck", lambda: torch.autograd.gradcheck(lambda a: Vjp.apply(a), (x.double().requires_grad_(),), check_forward_ad=True))
err("gradcheck", lambda: torch.autograd.gradcheck(OnlyJ.apply, (x.double().requires_grad_(),x.double().requires_grad_()), check_forward_ad=True, check_backward_ad=False))
err("gradcheck", lambda: torch.autograd.gradcheck(lambda a: Sq.apply(a, 2), (x.double().requires_grad_(),), check_forward_ad=True))
