# Traced sizes in split are constants, in lists of sizes they are not; conj is _conj, and nothing for real numbers
import torch


def parts(x):
    n = x.size(0)
    return x.split([n - 1, 1])[0], torch.split(x, n)[0], torch.split(x, [n - 1, 1], 0)[0], x.split(n // 2)[0]


print(torch.jit.trace(parts, torch.ones(4, 2)).code)


def conjugates(x):
    return x.conj() * 2, x.real.conj(), torch.conj(x), x.conj().conj()


print(torch.jit.trace(conjugates, torch.ones(4, 2, dtype=torch.complex64)).code)


class Inner(torch.nn.Module):
    def forward(self, x):
        return x + 1


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()

    def forward(self, x):
        return self.inner(x) * 2


traced = torch.jit.trace(Net(), torch.ones(2))
print(traced.inner.code)
for call in (lambda: traced.inner(torch.ones(2)), lambda: torch.jit.trace(lambda y: torch.jit.trace(torch.sin, y)(y), torch.ones(1))):
    try:
        print(call())
    except RuntimeError as error:
        print(error)
