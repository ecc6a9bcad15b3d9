# double backward
import torch
@torch.jit.script
def f(x):
    return (x ** 3).sum() + (x.sin() * x).sum()
x = torch.tensor([1.0, 2.0], requires_grad=True)
g, = torch.autograd.grad(f(x), x, create_graph=True)
print([round(v, 4) for v in g.tolist()], g.requires_grad)
h, = torch.autograd.grad(g.sum(), x)
print([round(v, 4) for v in h.tolist()])
print(torch.autograd.functional.jacobian(lambda x: x ** 2, torch.tensor([1.0, 2.0])))
print(torch.autograd.functional.hessian(lambda x: (x ** 3).sum(), torch.tensor([1.0, 2.0])))
print(torch.autograd.functional.vjp(lambda x: x * 2, torch.ones(2), torch.tensor([1.0, 3.0])))
print(torch.autograd.functional.jvp(lambda x: x * 2, torch.ones(2), torch.tensor([1.0, 3.0])))
