# Gradients of gradients: normalisation by statistics of the batch, selections, gradient penalties.
import torch
import torch.nn.functional as F


def show(name, f, *inputs):
    inputs = [i.double().requires_grad_() for i in inputs]
    out = f(*inputs)
    first = torch.autograd.grad((out**3).sum(), inputs, create_graph=True)
    second = torch.autograd.grad(sum((g**2).sum() for g in first), inputs, allow_unused=True)
    for kind, grads in (("first", first), ("second", second)):
        print(name, kind, *([round(v, 4) + 0.0 for v in g.flatten().tolist()] if g is not None else None for g in grads))


a = torch.tensor([[0.5], [1.5], [-1.0]])
b = torch.tensor([[0.5, 2.0, -1.0], [1.5, 0.25, 3.0], [-1.0, 0.75, 0.1], [0.2, -0.4, 1.1]])
w, v = torch.tensor([1.5, 0.5, -1.0]), torch.tensor([0.1, 0.2, 0.3])
show("batch_norm", lambda x: F.batch_norm(x, None, None, training=True), a)
show("batch_norm", lambda x, w, v: F.batch_norm(x, None, None, w, v, training=True), b, w, v)
show("eval", lambda x, w, v: F.batch_norm(x, torch.zeros(3).double(), torch.ones(3).double(), w, v), b, w, v)
show("instance_norm", lambda x: F.instance_norm(x.view(1, 2, 6)), b)
show("layer_norm", lambda x, w, v: F.layer_norm(x, (3,), w, v), b, w, v)
show("group_norm", lambda x: F.group_norm(x.view(1, 4, 3), 2), b)
show("sort", lambda x: x.sort(1, descending=True)[0] * torch.arange(3.0), b)
show("topk", lambda x: x.topk(2, 0)[0], b)
show("max", lambda x: x.max(1)[0], b)
show("min keepdim", lambda x: x.min(0, keepdim=True)[0], b)
show("median", lambda x: x.median(1)[0], b)
show("mode", lambda x: x.mode(0)[0], b)
show("kthvalue", lambda x: x.kthvalue(2, 1)[0], b)
show("quantile", lambda x: x.quantile(0.3, 0), b)
show("masked_select", lambda x: x.masked_select(x > 0.3), b)
show("masked_select of one row", lambda x: x.masked_select(b > 0.3), w)
show("scalar", lambda x: x.max(0)[0], torch.tensor(2.0))
x = b.clone().requires_grad_()
(g,) = torch.autograd.grad(x.sort(0)[0].sum(), x, create_graph=True)
print(g.requires_grad, g.grad_fn)
c = torch.tensor([0.1], requires_grad=True)
torch.tensor([1.5]).remainder(c).backward()
print(c.grad)
d = torch.tensor([1.0, 2.0], dtype=torch.double, requires_grad=True)
print(torch.autograd.gradcheck(lambda x, y: x * y, (d, d)), torch.autograd.gradgradcheck(lambda x: F.batch_norm(x, None, None, training=True), (b.double().requires_grad_(),)))
# A gradient penalty.
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4), torch.nn.LeakyReLU(0.2), torch.nn.Linear(4, 1))
x = b.clone().requires_grad_()
(g,) = torch.autograd.grad(net(x).sum(), x, create_graph=True)
((g.norm(2, dim=1) - 1) ** 2).mean().backward()
for name, p in net.named_parameters():
    print(name, None if p.grad is None else [round(v, 3) + 0.0 for v in p.grad.flatten().tolist()])
