import itertools
import torch
import torch.nn.functional as F

torch.manual_seed(3)


def show(name, f, *xs):
    xs = [x.double().requires_grad_() for x in xs]
    y = f(*xs)
    weights = torch.arange(y.numel(), dtype=torch.float64).reshape(y.shape) % 7 - 2.5
    grads = torch.autograd.grad((y * weights).sum(), xs, create_graph=True)
    print(name, [("%.6g %.6g" % (round(g.sum().item(), 9) + 0.0, (g * g).sum().item())) for g in grads])
    twice = sum((g * g).sum() for g in grads)
    if twice.requires_grad:
        seconds = torch.autograd.grad(twice, xs, allow_unused=True)
        print("   ", ["0" if g is None else "%.5g" % (g * g).sum().item() for g in seconds])


a, b, c = torch.randn(2, 3, 4), torch.randn(2, 5, 4), torch.randn(4, 6)
for equation, given in [
    ("bij,bkj->bik", (a, b)),
    ("bij,bkj->ik", (a, b)),
    ("bij,bkj", (a, b)),
    ("bij,bkj->", (a, b)),
    ("...j,jk->...k", (a, c)),
    ("bij,bkj,jl->bkl", (a, b, c)),
    ("bij->ji", (a,)),
    ("bij,bij->b", (a, a.clone())),
    ("ij,jk->jik", (a[0], c)),
    ("ii->i", (c[:, :4],)),
    ("iij,k->jk", (torch.randn(3, 3, 2), torch.randn(4))),
    ("b...,b...->...", (a, a.flip(0))),
    ("i,j->ij", (torch.randn(3), torch.randn(2))),
    ("bhqd,bhkd->bhqk", (torch.randn(1, 2, 3, 4), torch.randn(1, 2, 5, 4))),
]:
    show(equation, lambda *xs: torch.einsum(equation, *xs), *given)

x = torch.randn(3, 4, 5)
for dim in (0, 1, 2):
    show("softmax %d" % dim, lambda x: F.softmax(x, dim), x)
    show("log_softmax %d" % dim, lambda x: F.log_softmax(x, dim), x)
    show("cumprod %d" % dim, lambda x: x.cumprod(dim), x)
holes = torch.tensor([[1.5, 0.0, -2.0, 3.0], [0.0, 1.0, 0.0, 2.0], [0.5, 2.0, -1.0, 0.0]])
show("cumprod of zeros", lambda x: x.cumprod(1), holes)
show("cumprod of zeros, down", lambda x: x.cumprod(0), holes)

maps = torch.randn(2, 6, 5, 4)
show("group_norm", lambda x, w, b: F.group_norm(x, 3, w, b), maps, torch.randn(6), torch.randn(6))
show("group_norm plain", lambda x: F.group_norm(x, 2), maps)
for stride, padding, dilation in itertools.product((1, 2), (0, 1), (1, 2)):
    for groups, filters in ((6, 6), (6, 12), (2, 4), (1, 3)):
        w = torch.randn(filters, 6 // groups, 3, 2)
        f = lambda x, w, b: F.conv2d(x, w, b, stride, padding, dilation, groups)
        if dilation * 2 < 5 + 2 * padding:
            show("conv %s" % ((stride, padding, dilation, groups, filters),), f, maps, w, torch.randn(filters))
for dilation, more in ((1, 0), (2, 1)):
    for groups in (1, 2, 6):
        w = torch.randn(6, 4, 3, 2)
        f = lambda x, w, b: F.conv_transpose2d(x, w, b, 1, 1, more, groups, dilation)
        show("transposed %s" % ((dilation, groups),), f, maps, w, torch.randn(4 * groups))
show("conv1d", lambda x, w: F.conv1d(x, w, groups=4, stride=2, padding=1), torch.randn(2, 4, 9), torch.randn(4, 1, 3))
show("conv3d", lambda x, w: F.conv3d(x, w, groups=2), torch.randn(1, 2, 3, 4, 4), torch.randn(2, 1, 2, 2, 2))

flat, target = torch.randn(7, 19), torch.randn(7, 19)
for reduction in ("mean", "sum", "none"):
    for loss in (F.mse_loss, F.smooth_l1_loss, F.huber_loss, F.l1_loss):
        value = loss(flat, target, reduction=reduction)
        print(loss.__name__, reduction, "%.6g" % value.sum().item())
