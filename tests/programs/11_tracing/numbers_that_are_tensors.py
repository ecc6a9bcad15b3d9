"""Numbers in traces are tensors there and numbers where they run, as gradients show."""
import torch

x = torch.ones(1, requires_grad=True)
for f in (
    lambda a: a * 2, lambda a: 2 * a, lambda a: a + 1, lambda a: 1 - a, lambda a: a - 1, lambda a: a / 2, lambda a: 2 / a,
    lambda a: a**2, lambda a: torch.add(a, 3), lambda a: torch.mul(a, 2.0), lambda a: a.clone().add_(1), lambda a: a.clone().mul_(2),
    lambda a: a * torch.ones(1), lambda a: a % 2, lambda a: torch.fmod(a, 2), lambda a: torch.sub(a, 1, alpha=2),
):
    traced = torch.jit.trace(f, torch.ones(1))
    print(type(traced(x).grad_fn).__name__, traced(x).dtype, traced(torch.ones((), dtype=torch.float16)).dtype)


@torch.jit.script
def twice(x):
    return x * x + x * x


twice(torch.ones(1)), twice(torch.ones(1))
print(twice.graph_for(torch.ones(1)))
