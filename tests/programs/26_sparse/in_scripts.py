# Sparse tensors in scripts: arguments, results, containers, attributes, gradients, archives.
import torch, io, warnings
warnings.simplefilter("ignore")
from typing import List, Tuple, Optional, Dict
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, "|", str(e).strip().split("\n")[-1][:160])

class S:
    def __init__(self, f): self.f = f
    def __call__(self, *a): return torch.jit.script(self.f)(*a)
    @property
    def graph(self): return torch.jit.script(self.f).graph

def coo():
    return torch.sparse_coo_tensor(torch.tensor([[0, 1, 2], [2, 0, 1]]), torch.tensor([3.0, 4.0, 5.0]), (3, 3))

@S
def kinds(x: torch.Tensor):
    return x.is_sparse, x.is_sparse_csr, x.layout, x.dtype, x.device, x.size(), x.dim(), x.requires_grad, x.shape[0]

t(lambda: kinds(coo()))
t(lambda: kinds(coo().to_sparse_csr()))
t(lambda: kinds(torch.ones(2)))

@S
def product(a: torch.Tensor, b: torch.Tensor):
    return torch.mm(a, b), torch.sparse.mm(a, b), a @ b

t(lambda: product(coo(), torch.arange(9.0).view(3, 3)))

@S
def sums(x: torch.Tensor):
    return torch.sparse.sum(x), torch.sparse.sum(x, (0,)), x.sum()

t(lambda: sums(coo()))

@S
def parts(x: torch.Tensor):
    y = x.coalesce()
    return y.indices(), y.values(), y.is_coalesced(), y.to_dense(), y._nnz(), y.sparse_dim(), y.dense_dim()

t(lambda: parts(coo()))

@S
def arithmetic(x: torch.Tensor, y: torch.Tensor):
    z = x + y
    z = z * 2
    return z, z.to_dense(), (-z).to_dense(), z.t().to_dense(), torch.abs(z).to_dense(), (z / 2).to_dense()

t(lambda: arithmetic(coo(), coo()))

@S
def making(i: torch.Tensor, v: torch.Tensor):
    s = torch.sparse_coo_tensor(i, v, [4, 4])
    c = s.to_sparse_csr()
    return s, c, s.to_dense(), c.to_dense(), c.crow_indices(), c.col_indices(), c.values()

t(lambda: making(torch.tensor([[0, 3], [1, 2]]), torch.tensor([1.0, 2.0])))

@S
def from_dense(x: torch.Tensor):
    s = x.to_sparse()
    return s.indices(), s.values(), s.is_sparse, s.to_dense()

t(lambda: from_dense(torch.tensor([[0.0, 1.0], [2.0, 0.0]])))

@S
def loop(x: torch.Tensor, n: int):
    acc = torch.zeros(3, 3)
    for i in range(n):
        if x.is_sparse:
            acc = acc + x.to_dense() * i
        else:
            acc = acc + x
    return acc

t(lambda: loop(coo(), 4))
t(lambda: loop(torch.ones(3, 3), 4))

@S
def through(xs: List[torch.Tensor], d: Dict[str, torch.Tensor], o: Optional[torch.Tensor]):
    out: List[torch.Tensor] = []
    for x in xs:
        out.append(x.to_dense())
    for k, v in d.items():
        out.append(v.to_dense())
    if o is not None:
        out.append(o.to_dense())
    return torch.stack(out).sum(), xs[0], d

t(lambda: through([coo(), coo()], {"a": coo()}, coo()))
x = coo()


@S
def identity(x: torch.Tensor):
    return x

t(lambda: identity(x) is x)
t(lambda: identity(x))

w = coo().requires_grad_()
d = torch.arange(9.0).view(3, 3).requires_grad_()
t(lambda: (torch.sparse.mm(w, d)).sum().backward())
t(lambda: (w.grad.to_dense(), d.grad))
w.grad = d.grad = None

@S
def train(w: torch.Tensor, d: torch.Tensor):
    return torch.sparse.mm(w, d).sum()

t(lambda: train(w, d).backward())
t(lambda: (w.grad.to_dense(), d.grad))

class M(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = coo()
        self.register_buffer("b", coo())

    def forward(self, x):
        return torch.mm(self.a, x) + torch.sparse.mm(self.b, x)

m = M().eval()
try: m = torch.jit.script(m)
except Exception as e: print("script", type(e).__name__, str(e)[:200])
t(lambda: m(torch.ones(3, 2)))
t(lambda: m.a)
t(lambda: torch.jit.freeze(m)(torch.ones(3, 2)))

def save():
    b = io.BytesIO()
    torch.jit.save(m, b)
    b.seek(0)
    n = torch.jit.load(b)
    return n(torch.ones(3, 2)), n.b, n.a.is_sparse

t(save)

@torch.jit.ignore
def get_sparse():
    return coo()

@S
def uses_ignored():
    s = get_sparse()
    return s.is_sparse, s.to_dense()

t(lambda: uses_ignored())
