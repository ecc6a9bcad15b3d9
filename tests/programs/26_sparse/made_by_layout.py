"""Tensors that are made in a sparse layout: only zeros."""
import torch


def attempt(label, f):
    try:
        print(label, f())
    except Exception as error:
        print(label, type(error).__name__, str(error)[:100])


coo, csr, csc, bsr = torch.sparse_coo, torch.sparse_csr, torch.sparse_csc, torch.sparse_bsr
attempt("empty", lambda: torch.empty((2, 3), layout=coo))
attempt("zeros", lambda: torch.zeros(2, 3, layout=coo, dtype=torch.int32))
attempt("like", lambda: torch.zeros_like(torch.ones(2, 2), layout=coo))
attempt("rows", lambda: torch.zeros((2, 3), layout=csr))
attempt("columns", lambda: torch.zeros((2, 3), layout=csc))
attempt("large", lambda: torch.zeros((10**6, 10**6), layout=coo).shape)
attempt("blocks", lambda: torch.zeros((2, 2), layout=bsr))
attempt("ones", lambda: torch.ones((2, 3), layout=coo))
attempt("full", lambda: torch.full((2, 3), 0.0, layout=coo))
attempt("rand", lambda: torch.rand((2, 3), layout=coo))
attempt("arange", lambda: torch.arange(3, layout=coo))
attempt("eye", lambda: torch.eye(3, layout=coo))
attempt("new", lambda: torch.eye(2).to_sparse().new_zeros(2, 2))
attempt("new empty", lambda: torch.eye(2).to_sparse().new_empty((2, 4)).layout)
attempt("strided", lambda: torch.zeros(2, layout=torch.strided))
attempt("gradient", lambda: torch.zeros((2, 2), layout=coo, requires_grad=True).requires_grad)
s = torch.eye(2).to_sparse()
for name, f in {"view": lambda: s.view(4), "sort": s.sort, "exp": s.exp, "cumsum": lambda: s.cumsum(0), "where": lambda: torch.where(s, s, s), "std": s.std, "max": s.max}.items():
    attempt(name, f)
