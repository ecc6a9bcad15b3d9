# Gradients of views that overlap, of views that get other sizes in place, and of as_strided of what is not row-major.
import torch


def show(name, f):
    x = torch.arange(1.0, 13.0).view(3, 4).requires_grad_()
    try:
        f(x).backward()
        print(name, x.grad.tolist())
    except RuntimeError as e:
        print(name, "RuntimeError", str(e).split("\n")[0])


def expanded(x):
    t = x * 1
    e = t.expand(2, 3, 4)
    t.mul_(2)
    return (e * torch.arange(24.0).view(2, 3, 4)).sum()


def unfolded(x):
    t = x * 1
    u = t.unfold(1, 2, 1)
    t.mul_(2)
    return (u * torch.arange(18.0).view(3, 3, 2)).sum()


def strided(x):
    t = x * 1
    u = t.as_strided((3, 3), (1, 1))
    t.exp_()
    return u.sum() / 100


def transposed(x):
    v = (x * 2).transpose(0, 1)
    v.t_()
    return (v * x).sum()


def squeezed(x):
    p = (x * 2).narrow(0, 0, 1)
    p.squeeze_()
    return (p * torch.arange(4.0)).sum()


def reshaped_and_written(x):
    t = x * 2
    p = t.narrow(0, 1, 1)
    p.squeeze_(0)
    p.mul_(3)
    return (t * torch.arange(12.0).view(3, 4)).sum()


def base_reshaped(x):
    t = x * 2
    p = t.narrow(0, 1, 1)
    t.transpose_(0, 1)
    t.mul_(3)
    return (p * torch.arange(4.0)).sum() + t.sum()


def strided_of_every_second(x):
    t = (x * 1.5).reshape(-1)[::2]
    return t.as_strided((2,), (1,)).sum()


def strided_of_transposed(x):
    return ((x * 1.5).t().as_strided((2, 2), (4, 1), 1) * torch.tensor([[1.0, 2.0], [3.0, 4.0]])).sum()


def strided_of_expanded(x):
    return (x[:1] * 2).expand(3, 4).as_strided((4,), (1,)).sum()


def strided_in_place(x):
    t = x * 3
    t.as_strided_((2, 2), (4, 1), 1)
    return (t * torch.tensor([[1.0, 2.0], [3.0, 4.0]])).sum()


def written_after(x):
    t = x * 3
    u = t.as_strided((2, 2), (4, 1), 1)
    loss = u.sum()
    t.mul_(2)
    return loss + t.sum()


for f in (
    expanded, unfolded, strided, transposed, squeezed, reshaped_and_written, base_reshaped, strided_of_every_second,
    strided_of_transposed, strided_of_expanded, strided_in_place, written_after,
):  # fmt: skip
    show(f.__name__, f)

# Gradients of gradients through them.
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
t = x * x
e = t.expand(2, 3)
t.mul_(x)
(g,) = torch.autograd.grad((e * e).sum(), x, create_graph=True)
print(g.tolist(), torch.autograd.grad(g.sum(), x)[0].tolist())
