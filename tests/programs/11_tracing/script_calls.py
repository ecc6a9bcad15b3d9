# scripts that a trace calls stay calls; script_if_tracing scripts what it marks
import torch


@torch.jit.script
def repeat(x, n: int):
    for i in range(n):
        x = x + 1
    return x


@torch.jit.script
def both(x) -> tuple[torch.Tensor, torch.Tensor]:
    return x, x + 1


@torch.jit.script_if_tracing
def marked(x):
    if bool(x.sum() > 0):
        return x
    return -x


def f(x):
    a, b = both(repeat(x, 2))
    return marked(a) * b


traced = torch.jit.trace(f, torch.ones(2))
print(traced.graph)
print(traced.code)
print(traced(-torch.ones(3)), f(-torch.ones(3)))
again = torch.jit.trace(lambda x: traced(x) - 1, torch.ones(2))
print(again.graph)
print(again.name, torch.jit.is_tracing())
