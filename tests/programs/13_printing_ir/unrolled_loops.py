"""Names and numbers of what loop unrolling writes out."""
import torch


def flat(g):
    return "\n".join(l.split(" # ")[0].rstrip() for l in str(g).split("\n"))
def a1(x: torch.Tensor, k: int):
    for i in range(4):
        x = x + k
    return x
def a2(x: torch.Tensor, n: int):
    for i in range(n):
        y = x + 1
        x = y * 2
    return x
def a3(x: torch.Tensor, n: int):
    for i in range(3):
        y = x + i
        if n > 0:
            z = y * 2
        else:
            z = y
        x = z + 1
    return x
def a4(x: torch.Tensor, n: int):
    y = x
    for i in range(3):
        y = x + 1
        x = y * 2
    return x + y
for f in (a1, a2, a3, a4):
    s = torch.jit.script(f)
    g = s.graph.copy()
    print(flat(g))
    torch._C._jit_pass_loop_unrolling(g)
    print(flat(g))
