"""Losses called as functions of torch without a reduction are not reduced, those of torch.ops are; batch norm as operators have it."""
import torch

x = torch.linspace(-1, 1, 6).view(2, 3)
y = torch.linspace(0.1, 0.9, 6).view(2, 3)
target = torch.tensor([1.0, -1.0])
for name, args in {
    "kl_div": (x, y),
    "binary_cross_entropy_with_logits": (x, y),
    "cosine_embedding_loss": (x, y, target),
    "hinge_embedding_loss": (x, y.sign()),
    "margin_ranking_loss": (x[:, 0], y[:, 0], target),
    "triplet_margin_loss": (x, y, x + 1),
}.items():
    print(name, getattr(torch, name)(*args), getattr(torch.ops.aten, name)(*args), getattr(torch, name)(*args, reduction=2))
for name, args in {"mse_loss": (x, y), "huber_loss": (x, y), "nll_loss": (x, torch.tensor([0, 2])), "soft_margin_loss": (x, y)}.items():
    print(name, getattr(torch._C._nn, name)(*args), getattr(torch.ops.aten, name)(*args))

value = torch.linspace(-2, 2, 24).view(4, 3, 2).requires_grad_()
weight = torch.tensor([1.0, 2.0, 0.5], requires_grad=True)
bias = torch.zeros(3, requires_grad=True)
mean, var = torch.tensor([0.1, 0.2, 0.3]), torch.tensor([1.0, 0.5, 2.0])
for training in (True, False):
    value.grad = weight.grad = bias.grad = None
    out = torch.native_batch_norm(value, weight, bias, mean.clone(), var.clone(), training, 0.1, 1e-5)
    print([o.requires_grad for o in out], [tuple(o.shape) for o in out])
    (out[0] ** 3 + out[0] ** 2).sum().backward()
    print(value.grad[0], weight.grad.round(decimals=2) + 0.0, bias.grad.round(decimals=2))
twice = torch.native_batch_norm(value, weight, bias, mean, var, False, 0.1, 1e-5)[0]
(first,) = torch.autograd.grad((twice**3).sum(), value, create_graph=True)
print(torch.autograd.grad(first.sum(), value)[0][0])
