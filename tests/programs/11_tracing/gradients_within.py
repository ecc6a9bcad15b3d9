"""Functions that ask for gradients are traced with what the run backwards does."""
import torch


def traced(function, example):
    return torch.jit.trace(function, example, check_trace=False)


def slopes(x):
    return torch.autograd.grad((x * x * 3).sum(), x)[0]


def curvature(x):
    first, = torch.autograd.grad((x ** 3).sum(), x, create_graph=True)
    return first * 2


def left_in_grad(x):
    x = x.clone().requires_grad_()
    (x ** 3).sum().backward()
    return x.grad


def twice(x):
    x = x.clone().requires_grad_()
    (x ** 2).sum().backward()
    (x * 5).sum().backward()
    return x.grad


class Forces(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.tensor([1.0, 2.0]))

    def forward(self, positions):
        distances = positions.unsqueeze(0) - positions.unsqueeze(1)
        energy = (distances ** 2 * self.scale).sum()
        forces, = torch.autograd.grad([energy], [positions], create_graph=True)
        return energy, -forces


class Halved(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[0] / 2


point = torch.full((3,), 10.0)
print(traced(slopes, torch.arange(3.0).requires_grad_())(point.clone().requires_grad_()).detach())
print(traced(curvature, torch.arange(3.0).requires_grad_())(point.clone().requires_grad_()).detach())
print(traced(left_in_grad, torch.arange(3.0))(point))
print(traced(twice, torch.arange(3.0))(point))
own = traced(lambda x: torch.autograd.grad(Halved.apply(x).sum(), x)[0], torch.arange(3.0).requires_grad_())
print(own(point.clone().requires_grad_()).detach())
module = Forces()
forces = traced(module, torch.ones(2, 2).requires_grad_())
positions = torch.tensor([[0.0, 1.0], [2.0, 5.0]], requires_grad=True)
for mine, theirs in zip(forces(positions), module(positions)):
    print(mine.detach(), torch.equal(mine, theirs))
print(traced(lambda x: torch.autograd.functional.jacobian(lambda y: y ** 2, x), torch.arange(3.0))(point))
print([n.kind() for n in traced(left_in_grad, torch.arange(3.0)).graph.nodes() if n.kind().startswith("aten")])
