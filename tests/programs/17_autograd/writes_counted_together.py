# Who counts writes together: parameters and what they are made of, tensors that get other sizes, first gradients.
import torch


def refused(work):
    try:
        return work()
    except RuntimeError as error:
        return str(error).split("Hint")[0]


b = torch.arange(1.0, 5.0)
p = torch.nn.Parameter(b[:2])
loss = (p**2).sum()
b.add_(1)
print(p._version, b._version, p._is_view())
print(refused(loss.backward))
with torch.no_grad():
    p.add_(1)
print(p._version, b._version, torch.nn.Parameter(p)._version)
p.data.add_(1)
print(p._version)

x = torch.ones(3)
part = x[:1]
x.resize_(3)
print(x._version)
x.resize_(4)
print(x._version, part._version)
x.resize_as_(torch.ones(5))
print(x._version)
y = torch.ones(3, requires_grad=True) * 1
print(y.set_(torch.zeros(2)).grad_fn.name())
leaf = torch.ones(3, requires_grad=True)
print(refused(lambda: leaf.set_(torch.ones(2))))

# Gradients that have a history are copies.
for leaf in (torch.ones(2, 2, requires_grad=True), torch.ones(2, 2).t().requires_grad_()):
    (leaf**2).sum().backward(create_graph=True)
    print(leaf.grad.grad_fn.name(), leaf.grad._version, leaf.grad.stride())
leaf = torch.ones(2).expand(3, 2).detach().requires_grad_()
(leaf**2).sum().backward(create_graph=True)
print(leaf.grad.grad_fn.name(), leaf.grad.stride())
leaf = torch.ones(2, requires_grad=True)
leaf.sum().backward(create_graph=True)
print(leaf.grad.grad_fn, leaf.grad._version, leaf.grad.requires_grad)

# A refusal names the last that has written, also where nobody holds the tensor any more.


def written(x):
    y = x.exp()
    z = y.sin()
    y.mul_(2)
    return z + y


def twice(x):
    y = x.exp()
    z = y.sin()
    y.mul_(2)
    y.sub_(1)
    return z + y


for function in (written, twice):
    print(refused(function(torch.ones(2, requires_grad=True)).sum().backward))
    print(refused(function(torch.ones(4).reshape(2, 2).requires_grad_()).sum().backward))


@torch.jit.script
def keeps(x):
    return x.retains_grad


y = torch.ones(2, requires_grad=True) * 2
print(keeps(y))
y.retain_grad()
print(keeps(y))
print(len(torch.ones(2, requires_grad=True).masked_select(torch.tensor([True, False])).grad_fn.next_functions))
torch._C._increment_version([y.detach()])
x = torch.ones(2)
torch._C._increment_version([x])
print(x._version)
