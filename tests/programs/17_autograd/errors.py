# in-place errors
import torch
def err(f):
    try: print(f())
    except Exception as e: print("<<%s>>" % type(e).__name__); print(e); print("<<end>>")
x = torch.ones(3, requires_grad=True)
err(lambda: x.add_(1))
err(lambda: x[0].fill_(2))
def g():
    y = x.exp()
    y.add_(1)
    y.sum().backward()
err(g)
def h():
    y = x * 2
    y[0] = 5
    y.sum().backward()
    return x.grad
err(h)
def k():
    y = x * 2
    y.requires_grad = False
err(k)
err(lambda: torch.ones(2, dtype=torch.int64, requires_grad=True))
err(lambda: torch.ones(2, dtype=torch.int64).requires_grad_())
err(lambda: x.numpy())
err(lambda: torch.autograd.grad(x.sum(), torch.ones(2)))
err(lambda: torch.autograd.grad(x.sum(), torch.ones(2, requires_grad=True)))
err(lambda: torch.autograd.grad(x.sum(), torch.ones(2, requires_grad=True), allow_unused=True))
err(lambda: (x * 2).backward(torch.ones(2)))
err(lambda: torch.ones(1).register_hook(print))
err(lambda: torch.ones(1).retain_grad())
