# an exception that nobody catches ends the program
import torch


@torch.jit.script
def root(x: float) -> float:
    if x < 0.0:
        raise ValueError(f"no root of {x}")
    return x**0.5


print(root(2.25))
print(root(-1.0))
print("not reached")
