"""How results lie in memory that come out of other arrangements."""
import torch

x = torch.arange(24.0).reshape(2, 3, 4)
for dim in (0, 1, 2, -1):
    print(torch.unique(x, dim=dim).stride(), torch.unique_consecutive(x, dim=dim).stride())
for dim in (0, 1, None):
    q = torch.quantile(x, torch.tensor([0.25, 0.5, 1.0]), dim=dim, keepdim=True)
    print(q.shape, q.stride(), torch.nanquantile(x, torch.tensor([0.5]), dim=dim).stride())

wave = torch.sin(torch.arange(64.0))
for batch in (wave, wave.expand(3, 64)):
    pairs = torch.stft(batch, 8, window=torch.ones(8), return_complex=False)
    print(pairs.shape, pairs.stride())

a = torch.eye(4) * 2 + torch.arange(16.0).reshape(4, 4) / 40
b = torch.arange(24.0).reshape(2, 3, 4)
print(torch.linalg.solve(a, b, left=False).stride(), torch.linalg.solve(a, b.mT).stride())
print(torch.linalg.solve(a.expand(2, 3, 4, 4), b).stride())
lu, pivots = torch.linalg.lu_factor(a)
print(torch.linalg.lu_solve(lu, pivots, b[0], left=False).stride(), torch.linalg.lu_solve(lu, pivots, b[0].mT).stride())
print(torch.linalg.tensorinv(a.reshape(4, 2, 2), ind=1).stride(), torch.linalg.tensorinv(a.reshape(2, 2, 4), ind=2).stride())
for n in (-2, -1, 0, 1, 3):
    print(n, torch.linalg.matrix_power(a, n).stride())

print(torch.ones(3).contiguous(memory_format=torch.preserve_format).shape)
try:
    x.mT.contiguous(memory_format=torch.preserve_format)
except RuntimeError as error:
    print(error)
print(torch.zeros(1).scatter_(0, torch.tensor(0), 2.5))
print(torch.bucketize(torch.tensor(-8), torch.tensor([0, 1, 5], dtype=torch.uint8)))
print(torch.cdist(torch.zeros(4, 5, dtype=torch.bfloat16), torch.zeros(0, 5, dtype=torch.bfloat16)).shape)
print(torch.addmm(torch.ones(2, 3), torch.ones(2, 0), torch.ones(0, 3), alpha=float("nan")))
print(torch.einsum("...ik,...j->ij", torch.ones(1, 2, 3, dtype=torch.uint8), torch.ones(3, dtype=torch.uint8)))
print(torch.nn.functional.adaptive_avg_pool1d(torch.ones(1, 2, 4, dtype=torch.complex64), 1))
edges = torch.ops.aten.histogramdd(torch.arange(10.0).reshape(5, 2), [2, 2])
print(type(edges[1]).__name__, type(torch.histogramdd(torch.arange(10.0).reshape(5, 2), [2, 2])[1]).__name__)
print(torch.addr(torch.tensor(1j, dtype=torch.complex128), torch.ones(2), torch.ones(2)).dtype)

# Slices are compared in the order of the other dimensions.
bits = torch.tensor([[[0, 1, 1, 0], [1, 0, 1, 0]], [[1, 0, 0, 1], [0, 1, 1, 0]]])
values, inverse = torch.unique(bits, dim=2, return_inverse=True)
print(values, inverse)
print(torch.gradient(torch.tensor([1.0, 4.0, 9.0]), spacing=[torch.tensor([0.0, 1.0, 3.0, 4.0])]))
print(torch.special.chebyshev_polynomial_t(torch.tensor([0.5, 2.0]), 1e30), torch.special.hermite_polynomial_h(torch.tensor([0.5]), float("nan")))
