# the graph of a while loop with two carried values and a break
import torch


@torch.jit.script
def f(n: int) -> int:
    i, total = 0, 0
    while i < n:
        i += 1
        if i == 7:
            break
        total += i
    return total


print(f.graph)
print(f.code)
