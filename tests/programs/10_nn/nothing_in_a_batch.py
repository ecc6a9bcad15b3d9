"""Tensors without elements: joined, normalised, multiplied, and what has no kernel for booleans only where there are some."""

import torch
import torch.nn.functional as F


def attempt(name, f):
    try:
        out = f()
        print(name, tuple(out.shape), out.dtype, out.flatten().tolist())
    except Exception as e:
        print(f"<<{type(e).__name__}>>\n{e}\n<<end>>")


# Where some tensors give a row nothing, as many of them as a row has elements.
none, two = torch.zeros(3, 0), torch.arange(6.0).reshape(3, 2)
attempt("cat", lambda: torch.cat([none, two], 1))
attempt("cat", lambda: torch.cat([none, two, none, two[:, :1]], 1))
attempt("cat", lambda: torch.cat([torch.zeros(2, 0, 2), torch.ones(2, 1, 2)], 1))
x = torch.tensor([[[2.0], [3.0]]], requires_grad=True)
attempt("prod", lambda: torch.autograd.grad(x.prod(2).sum(), x)[0])

# A batch of none says nothing of the statistics.
for layer in (torch.nn.BatchNorm1d(2, momentum=0.3), torch.nn.BatchNorm1d(2, affine=False)):
    attempt("layer", lambda: layer(torch.ones(0, 2, 4)))
    print(layer.running_mean, layer.running_var, layer.num_batches_tracked)
empty = torch.zeros(0, 2, requires_grad=True)
scale = torch.ones(2, requires_grad=True)
out = F.batch_norm(empty, None, None, scale, scale, training=True)
print(type(out.grad_fn).__name__, torch.autograd.grad(out.sum(), [empty, scale]))
mean = torch.ones(2)
attempt("native", lambda: torch.native_batch_norm(torch.ones(0, 2), None, None, mean, mean.clone(), True, 0.1, 1e-5)[0])
attempt("native", lambda: torch.native_batch_norm(torch.ones(0, 2), None, None, mean, mean.clone(), False, 0.1, 1e-5)[0])

for p in (float("inf"), 1, 2, "fro", "nuc", -1):
    attempt(f"norm {p}", lambda: torch.linalg.norm(torch.zeros(0, 3, requires_grad=True), p))


def bools(*shape):
    return torch.ones(shape, dtype=torch.bool)


for m, k, n in ((0, 3, 4), (2, 3, 0), (2, 0, 3), (1, 2, 1)):
    print(m, k, n)
    attempt("addmm", lambda: torch.addmm(bools(n), bools(m, k), bools(k, n)))
    attempt("addmm 0", lambda: torch.addmm(bools(n), bools(m, k), bools(k, n), beta=0))
    attempt("addmv", lambda: torch.addmv(bools(m), bools(m, k), bools(k)))
    attempt("baddbmm", lambda: torch.baddbmm(bools(m, n), bools(2, m, k), bools(2, k, n)))
    attempt("addbmm", lambda: torch.addbmm(bools(m, n), bools(2, m, k), bools(2, k, n)))
    attempt("linear", lambda: F.linear(bools(m, k), bools(n, k), bools(n)))
    attempt("linear", lambda: F.linear(bools(m, k), bools(n, k)))
    attempt("bilinear", lambda: F.bilinear(bools(m, 3), bools(m, 4), bools(5, 3, 4), bools(5)))
    attempt("dot", lambda: torch.dot(bools(k), bools(k)))
    attempt("power", lambda: torch.linalg.matrix_power(bools(m, m), 3))
attempt("addbmm", lambda: torch.addbmm(bools(2, 2), bools(0, 2, 3), bools(0, 3, 2)))
for mode in ("reflect", "replicate"):
    attempt(mode, lambda: F.pad(bools(0, 3, 4), (1, 2), mode=mode))
