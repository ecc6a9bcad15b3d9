# operators with several names print with one of them
import torch

def f(x, y):
    a = torch.multiply(x, y).subtract(1)
    b = torch.special.expit(a) + torch.special.gammaln(x)
    c = torch.clip(b, 0, 1).absolute()
    d = torch.concat([c, a]).swapaxes(0, 1)
    return torch.rsub(x, y), torch.rsub(x, 1), torch.true_divide(d, 2), x.greater(y), torch.det(x), x.moveaxis(0, 1), torch.special.logsumexp(x, 0)

s = torch.jit.script(f)

print(s.code)
print([t.shape for t in s(torch.ones(2, 2), torch.ones(2, 2))])
