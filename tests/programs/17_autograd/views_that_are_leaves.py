# Tensors that share memory with others and are asked for gradients of their own, or because what they view is.
import torch


def show(name, work):
    try:
        print(name, work())
    except Exception as error:
        print(name, type(error).__name__, str(error).splitlines()[0][:110])


def unrecorded(leaf):
    with torch.no_grad():
        part = leaf[0]
    part.add_(1)
    return part


MAKERS = {
    "plain": lambda: torch.ones(2, 2, requires_grad=True),
    "reshaped": lambda: torch.ones(4).reshape(2, 2).requires_grad_(),
    "sliced": lambda: torch.ones(4, 2)[:2].requires_grad_(),
    "detached": lambda: (torch.ones(2, 2, requires_grad=True) * 2).detach().requires_grad_(),
}
for kind, make in MAKERS.items():
    show(kind + " is a view", lambda: (make()._is_view(), make().is_leaf))
    show(kind + " itself", lambda: make().add_(1))
    show(kind + " part", lambda: make()[0].add_(1))
    show(kind + " item", lambda: make().__setitem__(0, 3.0))
    show(kind + " unrecorded part", lambda: unrecorded(make()))

# What is viewed is asked for gradients afterwards.
x = torch.ones(2, 2)
row, turned = x[0], x.t()
x.requires_grad_()
print(row.requires_grad, turned.requires_grad, row.is_leaf, row.grad_fn)
(row * 2).sum().backward()
print(x.grad, row.grad)
show("write", lambda: row.add_(1))
show("unused", lambda: torch.autograd.grad((row * 2).sum(), row))
x.requires_grad_(False)
print(row.requires_grad)
x.requires_grad_()
print(row.requires_grad_(False).requires_grad, row.requires_grad_().requires_grad)
print(torch.autograd.grad((row * 2).sum(), row))
x.requires_grad_(False)
print(row.requires_grad)
first, second = torch.ones(2, 2).unbind(0)
base = first._base.requires_grad_()
print(first.requires_grad)
show("several", lambda: first.add_(1))
weight = torch.ones(2, requires_grad=True)
x = torch.ones(2, 2)
first, second = x.unbind(0)
x.add_(1)
show("written before", lambda: (first * weight).requires_grad)
x = torch.ones(2, 2)
first, second = x.unbind(0)
x.mul_(weight)
show("written with gradients", lambda: first * 2)

# A part of what requires none stays apart from another part that does.
b = torch.ones(4)
part = b.view(2, 2).requires_grad_()
other = b[:2]
other.add_(1)
print(other.requires_grad, b.requires_grad, part)
with torch.no_grad():
    part.add_(1)
print(part)
b.mul_(torch.ones(4, requires_grad=True))
print(part.requires_grad, type(part.grad_fn).__name__, part.is_leaf)
b = torch.ones(4)
ints = b.view(torch.int32)
b.requires_grad_()
print(ints.requires_grad)
