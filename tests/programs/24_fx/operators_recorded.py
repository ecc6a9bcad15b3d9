# make_fx: the operators that a function calls, as a graph; constants, several results, writes, and what reads elements.
import torch
from torch.fx.experimental.proxy_tensor import make_fx


def err(label, f):
    try:
        print(label, "ok", f())
    except Exception as e:
        print(label, type(e).__name__, str(e)[:180])


x = torch.ones(2)
c = torch.arange(2.)


for f, a in (
    (lambda x: (x.sin() + 1).sum().exp(), (x,)),
    (lambda x: x + c, (x,)),
    (lambda x, y: (x @ y, x.relu()), (torch.ones(2, 2), torch.ones(2, 2))),
    (lambda x: x.topk(1)[0] * 2, (x,)),
    (lambda x: x.clone().add_(1), (x,)),
    (lambda x: (x, 3), (x,)),
    (lambda x: torch.nn.functional.linear(x, x.view(1, 2)), (x,)),
    (lambda x, k: x * k, (x, 2)),
):
    def go():
        g = make_fx(f)(*a)
        return g.code.strip() + "\n" + str(g(*a))
    err("fx", go)
err("item", lambda: make_fx(lambda x: x.sum().item())(x))
err("if", lambda: make_fx(lambda x: x if x.sum() > 0 else -x)(x))
err("grad", lambda: make_fx(torch.func.grad(lambda t: (t ** 2).sum()))(x)(torch.tensor([3., 4.])))
