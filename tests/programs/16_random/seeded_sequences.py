# the same seed gives the same numbers, call after call, in script and eagerly
import torch


@torch.jit.script
def draw(n: int):
    a = torch.rand(n)
    b = torch.randn(n)
    c = torch.randint(0, 10, [n])
    return a, b, c


torch.manual_seed(123)
first = draw(3)
print(first)
torch.manual_seed(123)
a, b, c = torch.rand(3), torch.randn(3), torch.randint(0, 10, (3,))
print(torch.equal(a, first[0]), torch.equal(b, first[1]), torch.equal(c, first[2]))
torch.manual_seed(123)
print(torch.rand(20)[17:], torch.randn(20)[17:], torch.rand(2, dtype=torch.float64))
