# Views, writes in place, and what comes of both: gradients, nodes, counters, errors that name who wrote last.
import torch


def show(name, f):
    try:
        print(name, "->", f())
    except Exception as e:
        print(name, type(e).__name__, "|", str(e).split(" Hint: ")[0])


l = torch.ones(3, requires_grad=True)


def grads(f):
    l.grad = None
    f(l).sum().backward()
    return l.grad


# A view of a tensor that is written afterwards is a view of what was written.
def written_whole(l):
    x = l * 2
    v = x.view(3, 1)
    x.mul_(3)
    return v


def written_after_use(l):
    x = l * 2
    v = x[1:]
    w = v * 1
    x.mul_(3)
    return torch.cat([v, w])


def written_part(l):
    x = torch.zeros(2, 3)
    x[0] = l
    x[1] = l * 2
    x[:, 1].mul_(3)
    return x


def written_through_transposed(l):
    x = l.reshape(1, 3) * 2
    x.t().mul_(torch.tensor([[1.0], [2.0], [3.0]]))
    return x


def copied(l):
    x = torch.zeros(3)
    x.copy_(l)
    x.mul_(2)
    return x


for f in (written_whole, written_after_use, written_part, written_through_transposed, copied):
    show(f.__name__, lambda: grads(f))


def nodes():
    x = l * 2
    v = x.view(3, 1)
    before = v.grad_fn.name()
    x.mul_(3)
    return before, v.grad_fn.name(), x.grad_fn.name(), v.grad_fn.next_functions[0][0].name()


show("nodes", nodes)


# Gradients of gradients go through writes.
def second(write):
    e, s = torch.zeros(3, requires_grad=True), torch.zeros(3, requires_grad=True)
    (g,) = torch.autograd.grad(write(e), e, s, create_graph=True)
    return g.requires_grad, torch.autograd.grad(g, s, torch.tensor([1.0, 2.0, 3.0]))


def by_index(e):
    q = torch.ones(3)
    q[1:] = e[:2]
    return q


def by_view(e):
    q = e * 1
    q[1:].mul_(2)
    return q


def by_base(e):
    q = e * 1
    v = q.view(3)
    q.mul_(4)
    return v


for f in (by_index, by_view, by_base):
    show(f.__name__, lambda: second(f))

# What is a view of what.
a = torch.zeros(2, 3)
v = a.view(3, 2)
print(v._base is a, v[0]._base is a, v.t()._base is a, a._base, v._is_view(), a._is_view())
print(a.detach()._is_view(), a.detach()._base)
print(a.clone()._base, a.expand(2, 2, 3)._base is a, a.reshape(-1)._base is a, a.T._base is a, a.T.reshape(-1)._base)
print(a[0]._base is a, a[[0, 1]]._base, a[None]._base is a, a.narrow(0, 0, 1)._base is a, torch.arange(4).view(2, 2)._is_view())
print(a._version, a.add_(1)._version, v._version, v.mul_(2)._version, a._version)


# Functions that write.
class Adds(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        x.add_(y)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, g):
        return g, g * 3


class Forgets(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g


y = torch.ones(3, requires_grad=True)
z = l * 1
o = Adds.apply(z, y)
print(o is z, z._version, z.grad_fn.name(), torch.autograd.grad(o.sum(), (l, y)))
show("leaf", lambda: Adds.apply(torch.ones(3, requires_grad=True), y))
show("not returned", lambda: Forgets.apply(l * 1))


def dirty_view():
    x = l * 1
    v = x[:2]
    Adds.apply(v, y[:2])
    return v.grad_fn.name(), x.grad_fn.name(), x._version, torch.autograd.grad((x * torch.arange(1.0, 4.0)).sum(), (l, y))


show("view", dirty_view)


# Who wrote last, of tensors that are still there.
kept = []


def saved_result():
    y = (l * 1).exp()
    y.add_(1)
    return y


def saved_result_by_view():
    y = (l * 1).exp()
    y.view(3, 1)[0] = 1
    return y


def saved_argument():
    x = l * 1
    kept.append(x)
    y = x * x
    x.add_(1)
    return y


def saved_argument_by_view():
    x = l * 1
    kept.append(x)
    y = x * x
    x.view(-1).mul_(2)
    return y


def saved_view():
    b = (l * 1).exp()
    v = b.view(1, 3)
    kept.append(v)
    y = v * v
    b.add_(1)
    return y


def constant():
    w = torch.ones(3)
    y = l * w
    w.add_(1)
    return y


def leaf():
    p = torch.nn.Parameter(torch.ones(3))
    y = p * p
    with torch.no_grad():
        p.add_(1)
    return y


def places():
    y = torch.ones(2, 2, requires_grad=True).max(0)
    y.indices.add_(1)
    return y.values


for f in (saved_result, saved_result_by_view, saved_argument, saved_argument_by_view, saved_view, constant, leaf, places):
    show(f.__name__, lambda: f().sum().backward())
show("write to leaf", lambda: l.add_(1))
show("write to view of leaf", lambda: l.view(-1).add_(1))
