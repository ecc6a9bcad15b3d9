# Places of compressed sparse tensors that are checked: sizes, beginnings, order, ranges, dtypes.
import torch
from torch import sparse_bsr_tensor as bsr
from torch import sparse_compressed_tensor as comp
from torch import sparse_coo_tensor as coo
from torch import sparse_csc_tensor as csc
from torch import sparse_csr_tensor as csr


def err(label, f):
    try:
        print(label, "ok", f().layout)
    except Exception as e:
        print(label, type(e).__name__, str(e)[:250])


K = dict(check_invariants=True)
err("ok", lambda: csr([0, 1, 1], [1], [1.], (2, 2), **K))
err("first", lambda: csr([1, 1, 1], [0], [1.], (2, 2), **K))
err("last", lambda: csr([0, 1, 2], [0], [1.], (2, 2), **K))
err("len", lambda: csr([0, 1], [0], [1.], (2, 2), **K))
err("range", lambda: csr([0, 1, 1], [5], [1.], (2, 2), **K))
err("neg", lambda: csr([0, 1, 1], [-1], [1.], (2, 2), **K))
err("dup", lambda: csr([0, 2, 2], [1, 1], [1., 2.], (2, 2), **K))
err("unsorted", lambda: csr([0, 2, 2], [1, 0], [1., 2.], (2, 2), **K))
err("nnz", lambda: csr([0, 1, 1], [1], [1., 2.], (2, 2), **K))
err("dtype", lambda: csr(torch.tensor([0., 1, 1]), torch.tensor([1]), torch.tensor([1.]), (2, 2), **K))
err("mixdtype", lambda: csr(torch.tensor([0, 1, 1], dtype=torch.int32), torch.tensor([1]), torch.tensor([1.]), (2, 2), **K))
err("size1", lambda: csr([0, 1, 1], [1], [1.], (2,), **K))
err("csc range", lambda: csc([0, 1, 1], [5], [1.], (2, 2), **K))
err("csc len", lambda: csc([0, 1], [0], [1.], (2, 2), **K))
err("csc dup", lambda: csc([0, 2, 2], [1, 1], [1., 2.], (2, 2), **K))
err("bsr len", lambda: bsr([0, 1], [0], torch.ones(1, 2, 2), (4, 4), **K))
err("bsr range", lambda: bsr([0, 1, 1], [5], torch.ones(1, 2, 2), (4, 4), **K))
err("bsr blk", lambda: bsr([0, 1, 1], [0], torch.ones(1, 3, 3), (4, 4), **K))
err("bsr", lambda: bsr([0, 1, 1], [0], torch.ones(1, 2, 2), (4, 4), **K))
err("nocheck", lambda: csr([0, 2, 1], [0], [1.], (2, 2)))
with torch.sparse.check_sparse_tensor_invariants():
    err("ctx", lambda: csr([1, 1, 1], [0], [1.], (2, 2)))
    err("coo", lambda: coo([[5]], [1.], (2,)))
err("coo", lambda: coo([[5]], [1.], (2,), **K))
err("coo neg", lambda: coo([[-1]], [1.], (2,), **K))
err("unsafe", lambda: torch.sparse.check_sparse_tensor_invariants.is_enabled() or coo([[0]], [1.], (2,)))
err("dtypes not checked", lambda: csr(torch.tensor([0, 1, 1], dtype=torch.int32), torch.tensor([1]), torch.tensor([1.]), (2, 2)))
