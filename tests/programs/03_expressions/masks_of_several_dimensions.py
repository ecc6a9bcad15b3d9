# A mask of several dimensions has one place among the indices; what stands behind it, and masks that do not fit.
import torch


def show(name, work):
    try:
        print(name, work())
    except Exception as error:
        print(name, type(error).__name__, str(error).splitlines()[0])


def small():
    return torch.arange(24.0).reshape(2, 3, 4)


def large():
    return torch.arange(48.0).reshape(2, 3, 2, 4)


m = torch.tensor([[True, False, True], [False, True, True]])
i = torch.tensor([0, 1, 2, 3])
four = torch.tensor([True, False, True, True])
show("mask, index", lambda: small()[m, i])
show("mask, short index", lambda: small()[m, torch.tensor([1, 0])])
show("mask, number", lambda: small()[m, 1])
show("mask, slice", lambda: small()[m, 1:3])
show("None, mask, index", lambda: small()[None, m, i])
show("mask, ..., index", lambda: small()[m, ..., i])
show("mask, :, index", lambda: large()[m, :, i])
show("mask, number, index", lambda: large()[m, 1, i])
show("mask, index of the third", lambda: large()[m, i % 2])
show("index, mask", lambda: large().permute(2, 0, 1, 3)[torch.tensor([0, 1, 0, 1]), m])
show("mask, list", lambda: small()[m, [0, 1, 2, 3]])
show("mask, mask", lambda: small()[m, four])
show("list mask, index", lambda: small()[[[True, False, True], [False, True, True]], i])


def written(key, value=2.0, make=small):
    x = make()
    x[key] = value
    return x._version, x.sum()


show("write", lambda: written((m, i)))
show("write many", lambda: written((m, i), torch.arange(4.0)))
show("write behind a slice", lambda: written((m, slice(None), i), make=large))
for key in (False, True, (False,), (False, 0), torch.tensor(False), (True, 0)):
    show(f"write {key}", lambda: written(key))
show("nothing of a wrong size", lambda: written(False, torch.ones(7)))
show("nothing of a text", lambda: written(False, "a"))
u8 = torch.tensor([1, 0, 1, 1], dtype=torch.uint8)
for key in (u8, (slice(None), u8), torch.tensor([1, 0], dtype=torch.uint8), four):
    show("write where", lambda: written(key, 3))
print(torch.jit.trace(lambda x, m, i: x[m, i], (small(), m, i)).graph)
x = small().requires_grad_()
y = x[m, i]
y.sum().backward()
print(y, x.grad.sum(0))
