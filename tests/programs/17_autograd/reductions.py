# reductions and indexing gradients in script
import torch
@torch.jit.script
def f(x, i):
    a = x.max(dim=1)
    b = x.min(1)[0].sum() + x.amax((0, 1)) + x.median() + x.prod() * 0.1
    c = x.gather(1, i).sum() + x.index_select(1, torch.tensor([0, 0])).sum()
    d = x[x > 0].sum() + x[:, ::2].sum() + x[..., -1].mean()
    e = torch.where(x > 0, x * 2, x * 3).std() + x.var(0).sum() + x.norm(1) + x.cumsum(1)[0].sum()
    k = x.topk(2, 1)[0].sum() + x.sort(0, descending=True)[0][0].sum() + torch.logsumexp(x, 0).sum()
    return a[0].sum() + b + c + d + e + k
torch.manual_seed(1)
x = torch.randn(3, 4, requires_grad=True)
y = f(x, torch.tensor([[0, 1], [2, 3], [1, 1]]))
y.backward()
print(round(y.item(), 4))
print((x.grad * 1000).round())
z = torch.zeros(3, 4).scatter_add(1, torch.tensor([[0, 1], [2, 3], [1, 1]]), x[:, :2])
z = z.index_add(0, torch.tensor([0, 2]), x[:2]) + torch.tril(x) + x.roll(1, 0).flip(1)
x.grad = None
(z * torch.arange(12.0).view(3, 4)).sum().backward()
print(x.grad, type(z.grad_fn).__name__)
