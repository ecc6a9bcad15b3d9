"""Gradients through sparse tensors, of tables of rows, and the optimisers that take them."""
import warnings

import torch

warnings.simplefilter("ignore")
i = torch.tensor([[0, 1, 1], [2, 0, 2]])
v = torch.tensor([3.0, 4.0, 5.0])
d = torch.arange(6.0).reshape(2, 3)
x = torch.sparse_coo_tensor(i, v, (2, 3)).requires_grad_()
w = d.t().clone().requires_grad_()
print(x)
y = torch.sparse.mm(x, w)
y.sum().backward()
print(y.detach(), x.grad, w.grad)
u = v.clone().requires_grad_()
x = torch.sparse_coo_tensor(i, u, (2, 3))
print(x, x.is_leaf)
(x.to_dense() * d).sum().backward()
print(u.grad)
u.grad = None
z = torch.sparse_coo_tensor(i, u, (2, 3)).coalesce()
print(z)
z.values().pow(2).sum().backward()
print(u.grad)
e = d.clone().requires_grad_()
q = e.to_sparse()
print(q)
q.to_dense().pow(2).sum().backward()
print(e.grad)
for function in (
    lambda x: (x.to_dense() * d).sum(), lambda x: torch.sparse.sum(x), lambda x: torch.sparse.sum(x, 1).to_dense().sum(),
    lambda x: (torch.sparse.softmax(x, 1).to_dense() * d).sum(), lambda x: torch.sparse.mm(x * 2, w).sum(),
):
    x = torch.sparse_coo_tensor(i, v, (2, 3)).coalesce().requires_grad_()
    function(x).backward()
    print(x.grad)

for padding in (None, 2):
    table = torch.nn.Embedding(5, 2, sparse=True, padding_idx=padding)
    with torch.no_grad():
        table.weight.copy_(torch.arange(10.0).reshape(5, 2))
    out = table(torch.tensor([[1, 2], [1, 4]]))
    (out * torch.arange(8.0).reshape(2, 2, 2)).sum().backward()
    print(table.weight.grad, table.weight.grad.coalesce())
table(torch.tensor([0])).sum().backward()
print(table.weight.grad.to_dense(), table.weight.grad.is_sparse)
table.weight.grad = None
print(table.weight.grad)
for make in (
    lambda p: torch.optim.SparseAdam(p, lr=0.1), lambda p: torch.optim.SGD(p, lr=0.1), lambda p: torch.optim.Adagrad(p, lr=0.1),
    lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9), lambda p: torch.optim.SparseAdam(p, lr=0.1, maximize=True),
):
    with torch.no_grad():
        table.weight.copy_(torch.arange(10.0).reshape(5, 2))
    optimizer = make(table.parameters())
    for step in range(3):
        optimizer.zero_grad()
        table(torch.tensor([step, 1, 4])).pow(2).sum().backward()
        optimizer.step()
    print(type(optimizer).__name__, table.weight.detach())
optimizer.zero_grad()
table(torch.tensor([1])).sum().backward()
for kind in (torch.optim.Adam, torch.optim.RMSprop):
    try:
        kind(table.parameters(), lr=0.1).step()
    except RuntimeError as error:
        print(error)
dense = torch.nn.Parameter(torch.ones(2))
dense.grad = torch.ones(2)
try:
    torch.optim.SparseAdam([dense]).step()
except RuntimeError as error:
    print(error)
