# .code of operators, methods, keyword arguments, constants and in-place calls
import torch


@torch.jit.script
def f(x: torch.Tensor, scale: float):
    y = torch.relu(x).sum(dim=[0, -1], keepdim=True)
    y.mul_(scale).add_(1, alpha=2)
    z = torch.cat([x, x], dim=1).to(torch.float64)
    return y, z[..., 1:], -x + 2 ** x, torch.zeros([2], dtype=torch.int32)


print(f.code)
for t in f(torch.tensor([[1.0, -2.0], [3.0, 4.0]]), 0.5):
    print(t)
