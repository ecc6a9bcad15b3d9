# Gradients of losses that leave targets out or have no path: signs of zeros, and what is no number.
import torch
import torch.nn.functional as F

x = torch.tensor([[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]]).log()


def grad(f, x):
    x = x.clone().requires_grad_()
    f(x).sum().backward()
    return x.grad


for reduction in ("none", "mean", "sum"):
    print(grad(lambda x: F.nll_loss(x, torch.tensor([0, -100]), reduction=reduction), x))
    print(grad(lambda x: F.nll_loss(x, torch.tensor([0, 2]), weight=torch.tensor([1.0, 0.0, 2.0]), reduction=reduction), x))
    print(grad(lambda x: F.cross_entropy(x, torch.tensor([0, -100]), reduction=reduction), x))
logs = torch.tensor([0.5, 0.25, 0.25]).log().expand(4, 2, 3)
targets = torch.tensor([[1, 1, 1], [1, 2, 1]])
for zero in (False, True):
    print(grad(lambda x: F.ctc_loss(x, targets, torch.tensor([3, 4]), torch.tensor([3, 3]), reduction="sum", zero_infinity=zero), logs))
