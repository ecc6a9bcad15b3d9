"""Gradients of a loss for each sample: a small CNN, a small MLP, against a loop, with parts and weights."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call, grad, grad_and_value, vmap


class CNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 4, 3, 1)
        self.conv2 = nn.Conv2d(4, 6, 3, 1)
        self.norm = nn.GroupNorm(2, 6)
        self.fc1 = nn.Linear(6 * 4 * 4, 16)
        self.fc2 = nn.Linear(16, 10)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.relu(self.norm(self.conv2(x)))
        x = F.max_pool2d(x, 2)
        x = torch.flatten(x, 1)
        return F.log_softmax(self.fc2(F.relu(self.fc1(x))), dim=1)


torch.manual_seed(0)
model = CNN()
data, targets = torch.randn(5, 1, 12, 12), torch.randint(10, (5,))
params = {k: v.detach() for k, v in model.named_parameters()}
buffers = {k: v.detach() for k, v in model.named_buffers()}


def compute_loss(params, buffers, sample, target):
    predictions = functional_call(model, (params, buffers), (sample.unsqueeze(0),))
    return F.nll_loss(predictions, target.unsqueeze(0))


per_sample = vmap(grad(compute_loss), in_dims=(None, None, 0, 0))(params, buffers, data, targets)
for name, g in per_sample.items():
    print(name, tuple(g.shape), f"{g.norm():.4f}")


def one(sample, target):
    loss = F.nll_loss(model(sample.unsqueeze(0)), target.unsqueeze(0))
    return torch.autograd.grad(loss, list(model.parameters()))


loop = [torch.stack(s) for s in zip(*[one(data[i], targets[i]) for i in range(5)])]
print(all(torch.allclose(a, b, atol=1e-5) for a, b in zip(per_sample.values(), loop)))
parts = vmap(grad(compute_loss), in_dims=(None, None, 0, 0), chunk_size=2)(params, buffers, data, targets)
print(all(torch.allclose(a, b, atol=1e-5) for a, b in zip(per_sample.values(), parts.values())))
grads, losses = vmap(grad_and_value(compute_loss), in_dims=(None, None, 0, 0))(params, buffers, data, targets)
print(losses.shape, torch.allclose(losses.mean(), F.nll_loss(model(data), targets), atol=1e-5))

# Clipped, as private training does.
norms = torch.stack([g.flatten(1).norm(dim=1) for g in per_sample.values()]).norm(dim=0)
scale = (1.0 / norms).clamp(max=1.0)
clipped = {k: torch.einsum("b,b...->...", scale, g) for k, g in per_sample.items()}
print([tuple(g.shape) for g in clipped.values()][:2], f"{clipped['fc2.bias'].norm():.4f}")

mlp = nn.Sequential(nn.Linear(3, 8), nn.LayerNorm(8), nn.GELU(), nn.Linear(8, 2))
weights = {k: v.detach() for k, v in mlp.named_parameters()}
xs, ys = torch.randn(4, 3), torch.randn(4, 2)
found = vmap(grad(lambda p, x, y: F.mse_loss(functional_call(mlp, p, (x,)), y)), (None, 0, 0))(weights, xs, ys)
for k in weights:
    want = torch.stack([torch.autograd.grad(F.mse_loss(mlp(x), y), dict(mlp.named_parameters())[k])[0] for x, y in zip(xs, ys)])
    print(k, torch.allclose(found[k], want, atol=1e-6))
