# inlining: bodies with their own calls inlined, names of results, constants of each body together
import torch

def inner(x):
    y = x + 1
    y = y + 2
    z = y * y
    return z
def outer(x):
    y = inner(x)
    return inner(y)
def top(x):
    y = x + 3
    z = outer(y)
    return outer(z) + inner(y)
def branching(x, c: bool):
    if c:
        x = inner(x)
    for i in range(2):
        x = outer(x) + i
    return x
for f in (top, branching):
    s = torch.jit.script(f)
    print(s.graph)
    print(s.inlined_graph)
