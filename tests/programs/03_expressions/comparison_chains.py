# chained comparisons evaluate each operand once and stop early
import torch


@torch.jit.script
def loud(x: int) -> int:
    print("evaluated", x)
    return x


@torch.jit.script
def between(a: int, b: int, c: int) -> bool:
    return loud(a) < loud(b) <= loud(c)


@torch.jit.script
def mixed(a: float, b: int):
    return 0 < a < b, a == b != 3, not a > b >= 1


print(between(1, 2, 2))
print(between(3, 2, 9))
print(mixed(1.5, 2), mixed(3.0, 3))
