# What the only factor that wants a gradient holds may be written later: nobody reads it.
import torch

torch.manual_seed(0)
a = torch.tensor([[0.5, 0.0, 0.0], [0.25, 2.0, 0.0], [1.0, 3.0, -1.0]])


def stages(product):
    w = torch.tensor([[1.0, 2.0], [0.5, -1.0]], requires_grad=True)
    k = torch.zeros(3, 2, 2)
    k[0] = torch.ones(2, 2) @ w
    for i in range(1, 3):
        k[i] = product(a[i, :i], k[:i]) @ w
    k.sum().backward()
    return w.grad


print(stages(lambda row, all: torch.einsum("j, jbf -> bf", row, all)))
print(stages(lambda row, all: torch.einsum("jbf, j -> bf", all, row)))
print(stages(lambda row, all: (row[:, None, None] * all).sum(0)))


def refused(make):
    x = torch.ones(2, 2, requires_grad=True) * 1
    y = torch.full((2, 2), 3.0, requires_grad=True) * 1
    out = make(x, y)
    try:
        x.mul_(2)
        out.sum().backward()
        print("fine")
    except RuntimeError as error:
        print(str(error)[:90])


refused(lambda x, y: torch.einsum("ij,jk->ik", x, y))
refused(lambda x, y: torch.einsum("ij,jk->ik", x, y.detach()))
refused(lambda x, y: torch.linalg.multi_dot([x, y, y]))
refused(lambda x, y: torch.linalg.multi_dot([x, y.detach(), y.detach()]))
