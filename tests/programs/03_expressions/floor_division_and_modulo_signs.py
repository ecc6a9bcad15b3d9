# // and % round towards minus infinity for ints, floats and tensors
import torch


@torch.jit.script
def ints(a: int, b: int):
    return a // b, a % b, (a // b) * b + a % b == a


@torch.jit.script
def floats(a: float, b: float):
    return a // b, a % b, a / b


@torch.jit.script
def tensors(a: torch.Tensor, b: torch.Tensor):
    return a // b, a % b, a / b


for a, b in [(7, 2), (-7, 2), (7, -2), (-7, -2)]:
    print(ints(a, b), floats(float(a), float(b)))
print(tensors(torch.tensor([7, -7, 7, -7]), torch.tensor([2, 2, -2, -2])))
