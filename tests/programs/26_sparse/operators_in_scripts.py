# Sparse tensors in scripts: layouts, tensors made in them, functions of torch.sparse, methods, for each of three kinds of tensors.
import torch
from typing import *
def t(f):
    try: print(f())
    except Exception as e: print("<<", type(e).__name__, ">>")
def a(x: torch.Tensor): return x.layout == torch.sparse_coo, x.layout == torch.strided, torch.sparse_csr
def b(x: torch.Tensor): return torch.empty([2],layout=torch.sparse_coo).is_sparse
def c(x: torch.Tensor): return torch.zeros([2,2],layout=torch.sparse_coo), torch.zeros_like(x)
def d(x: torch.Tensor): return x.is_sparse_csr, x.is_mkldnn, x.is_quantized
def e(x: torch.Tensor): return torch.sparse_coo, torch.sparse_csc, torch.sparse_bsr, torch.sparse_bsc, torch.jagged
def f(x: torch.Tensor): return x.is_sparse_csc
def g(x: torch.Tensor): return x.to_sparse_csc().layout, x.to_sparse(2), x.to_sparse(layout=torch.sparse_csr)
def h(x: torch.Tensor):
    s = torch.sparse.softmax(x, 1)
    return s, torch.sparse.log_softmax(x, dim=1), torch.sparse.addmm(x, x, x)
def i(x: torch.Tensor): return torch.sparse.sum(x, dtype=torch.float64), torch.sparse.sum(x, dim=(1,)), torch.sparse.mm(x,x)
def j(x: torch.Tensor): 
    x.add_(x)
    return x.clone(), x.detach(), x.float(), x.to(torch.float64), x.requires_grad_(), x.numel(), len(x), x[0], x.select(0,1), torch.cat([x,x]), torch.stack([x,x]).shape
def k(x: torch.Tensor):
    return x * x, x.mul(2.0), x.sum(0), x.norm(), torch.sqrt(x), x.neg(), x.pow(2), x.relu(), x.sparse_mask(x.coalesce()), x.transpose(0,1), x.mv(torch.ones(3))
def coo():
    return torch.sparse_coo_tensor(torch.tensor([[0, 1, 2], [2, 0, 1]]), torch.tensor([3.0, 4.0, 5.0]), (3, 3))
for fn in (a,b,c,d,e,f,g,h,i,j,k):
    for x in (coo(), torch.eye(3), coo().to_sparse_csr()):
        print(fn.__name__)
        t(lambda fn=fn, x=x: torch.jit.script(fn)(x))

many = torch.sparse_coo_tensor(torch.tensor([[0, 5], [3, 7]]), torch.tensor([1.0, 2.0]), (10**8, 10**8))
print(many.shape, torch.sparse.sum(many), (many + many).coalesce().values(), many.t().coalesce().indices())
for count in (0, 1):
    s = torch.sparse_coo_tensor(torch.zeros(2, count, dtype=torch.long), torch.ones(count), (2, 3), check_invariants=False)
    t(lambda: torch.sparse.mm(s, torch.ones(3, 4).double()).dtype)
    t(lambda: torch.sparse.mm(s, s.t().double()).dtype)
