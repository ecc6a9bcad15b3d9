# `linear_cross_entropy`: a linear layer and its loss at once, whole and in pieces, with gradients and refusals.
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn import LinearCrossEntropyOptions as Options

torch.manual_seed(0)
x, w, y = torch.randn(5, 4), torch.randn(6, 4), torch.tensor([0, 5, 2, 1, 3])
p = torch.rand(5, 6).softmax(1)
cubes, classes = torch.randn(6, 2, 3, 4), torch.randint(0, 6, (5, 2, 3))
loss = F.linear_cross_entropy


def show(name, f):
    try:
        print(name, f())
    except Exception as e:
        print(name, type(e).__name__, str(e).split("\n")[0])


for options in (None, Options(), Options(batch_chunk_size=2), Options(batch_chunk_size=2, allow_retain_graph=True)):
    print(options)
    show("classes", lambda: loss(x, w, y, options=options))
    show("probabilities", lambda: loss(x, w, p, options=options))
    for reduction in ("none", "sum", "mean"):
        show(reduction, lambda: loss(x, w, y, linear_bias=torch.arange(6.0), weight=torch.linspace(0.5, 1, 6), reduction=reduction, ignore_index=2, options=options))

        def gradients():
            leaves = [t.clone().requires_grad_() for t in (x, w, torch.zeros(6))]
            out = loss(leaves[0], leaves[1], y, linear_bias=leaves[2], reduction=reduction, options=options)
            (out * torch.arange(1.0, 6.0)).sum().backward()
            return [leaf.grad.abs().sum() for leaf in leaves]

        show("gradients", gradients)
    show("one", lambda: loss(x[0], w, y[0], options=options))


def twice(options):
    leaf = x.clone().requires_grad_()
    out = loss(leaf, w, y, options=options)
    out.backward(retain_graph=True)
    out.backward()
    return leaf.grad.sum()


show("twice", lambda: twice(Options()))
show("twice", lambda: twice(Options(allow_retain_graph=True)))
show("cubes", lambda: loss(x, cubes, classes))
show("unbatched", lambda: loss(x[0], cubes, classes[0]))
show("three dimensions", lambda: loss(torch.randn(2, 5, 4), w, classes[0]))
show("flat weight", lambda: loss(x, w[0], y))
show("bias", lambda: loss(x, w, y, linear_bias=torch.ones(5)))
show("features", lambda: loss(torch.randn(5, 3), w, y))
show("reduction", lambda: loss(x, w, y, reduction="foo"))
show("ignored", lambda: loss(x, w, p, ignore_index=2))
show("method", lambda: Options(chunking_method="foo"))
show("policy", lambda: Options(acc_policy="foo"))
show("dtype", lambda: loss(x, w, y, options=Options(acc_dtype=torch.float64)))
torch.manual_seed(1)
m = nn.LinearCrossEntropyLoss(4, 6, out_features=(2, 3), bias=True)
print(m, m(x, classes), {k: tuple(v.shape) for k, v in m.state_dict().items()})
