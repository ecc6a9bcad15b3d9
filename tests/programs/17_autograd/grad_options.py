# autograd.grad options
import torch
x = torch.tensor(2.0, requires_grad=True); y = torch.tensor(3.0, requires_grad=True)
@torch.jit.script
def f(x, y):
    return x * x * y, x + y
a, b = f(x, y)
print(torch.autograd.grad(a, [x, y], retain_graph=True))
print(torch.autograd.grad([a, b], [x, y], grad_outputs=[torch.tensor(1.0), torch.tensor(10.0)]))
a, b = f(x, y)
print(torch.autograd.grad(a, (x,), create_graph=True))
print(torch.autograd.grad(x * 2, [x, y], allow_unused=True))
print(torch.autograd.grad(x * 2, [x, y], materialize_grads=True))
torch.autograd.backward([x * 2, y * 3], [torch.tensor(1.0), torch.tensor(2.0)])
print(x.grad, y.grad)
z = x * 2
(z * y).backward(inputs=[x])
print(x.grad, y.grad)
v = torch.ones(3, requires_grad=True)
w = v * torch.tensor([1.0, 2.0, 3.0])
w.backward(torch.tensor([1.0, 1.0, 2.0]))
print(v.grad)
c = torch.tensor([1 + 2j], requires_grad=True)
(c * c.conj()).real.sum().backward()
print(c.grad)
