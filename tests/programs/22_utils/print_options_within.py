# What torch.set_printoptions sets, and sets for a while.
import torch
from torch._tensor_str import get_printoptions, printoptions

print(get_printoptions())
with printoptions(precision=2, sci_mode=True) as nothing:
    print(nothing, torch.tensor([1.25, 4000.0]), get_printoptions())
    with printoptions(profile="full"):
        print(torch.tensor([1.25, 4000.0]), get_printoptions())
        torch.set_printoptions(edgeitems=1)
    print(get_printoptions())
try:
    with printoptions(linewidth=24, threshold=4, edgeitems=2):
        print(torch.arange(9), torch.arange(3) * 1000)
        raise KeyError("out")
except KeyError as problem:
    print(problem, get_printoptions())


@printoptions(precision=1)
def shown():
    print(torch.tensor([1.26]))


shown()
try:
    with printoptions(digits=3):
        pass
except TypeError as problem:
    print(problem)
torch.set_printoptions(profile="nobody knows it", precision=3)
print(get_printoptions(), torch._tensor_str.PRINT_OPTS.precision)
torch.set_printoptions(profile="short", linewidth=60)
print(get_printoptions(), torch.tensor([1.0 / 3]))
