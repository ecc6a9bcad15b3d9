# the graph of nested ifs with a name defined on every side
import torch


@torch.jit.script
def f(x: int, flag: bool) -> int:
    if flag:
        if x > 2:
            y = x * 2
        else:
            y = -x
    else:
        y = 0
    return y + x


print(f.graph)
print(f.code)
