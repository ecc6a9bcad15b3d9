# Functions that derivatives call.
import torch
from typing import List, Optional, Tuple
from torch import Tensor


def restore(grad: Tensor, sizes: List[int], dims: Optional[List[int]], keepdim: bool) -> Tensor:
    """A gradient of a reduction with the reduced dimensions back, as large as before."""
    rank = len(sizes)
    if rank > 0 and not keepdim:
        if dims is not None and len(dims) > 0:
            reduced: List[int] = []
            for d in dims:
                reduced.append(d + rank if d < 0 else d)
            for d in range(rank):
                if d in reduced:
                    grad = grad.unsqueeze(d)
        else:
            grad = grad.reshape([1] * rank)
    return grad.expand(sizes)


def count(sizes: List[int], dims: Optional[List[int]]) -> int:
    """How many numbers a reduction takes together."""
    total = 1
    if dims is not None and len(dims) > 0:
        for d in dims:
            total *= sizes[d]
    else:
        for size in sizes:
            total *= size
    return total


def linear_parts(input: Tensor, weight: Tensor, bias: Optional[Tensor]) -> Tensor:
    """A linear layer as the products that it is made of."""
    if input.dim() == 2 and bias is not None:
        return torch.addmm(bias, input, weight.t())
    if bias is not None and input.dim() > 2:
        rows = input.reshape([-1, input.size(-1)])
        return torch.addmm(bias, rows, weight.t()).view(input.size()[:-1] + [weight.size(0)])
    out = matmul_parts(input, weight.t())
    if bias is not None:
        out = out + bias
    return out


def matmul_parts(a: Tensor, b: Tensor) -> Tensor:
    """A product of tensors of any ranks as the products of vectors, matrices and batches that it is made of."""
    if a.dim() == 1 and b.dim() == 1:
        return torch.dot(a, b)
    if a.dim() == 2 and b.dim() == 1:
        return torch.mv(a, b)
    if a.dim() == 1 and b.dim() == 2:
        return torch.mm(a.unsqueeze(0), b).squeeze(0)
    if a.dim() == 2 and b.dim() == 2:
        return torch.mm(a, b)
    if b.dim() <= 2:
        rows = a.reshape([-1, a.size(-1)])
        if b.dim() == 1:
            return torch.mv(rows, b).view(a.size()[:-1])
        return torch.mm(rows, b).view(a.size()[:-1] + [b.size(1)])
    left = a.unsqueeze(0) if a.dim() == 1 else a
    right = b.unsqueeze(-1) if b.dim() == 1 else b
    batch = torch.broadcast_shapes(left.size()[:-2], right.size()[:-2])
    count = 1
    for size in batch:
        count *= size
    n, k, m = left.size(-2), left.size(-1), right.size(-1)
    x = left.expand(batch + [n, k]).reshape([count, n, k])
    y = right.expand(batch + [right.size(-2), m]).reshape([count, right.size(-2), m])
    out = torch.bmm(x, y).view(batch + [n, m])
    if a.dim() == 1:
        out = out.squeeze(-2)
    if b.dim() == 1:
        out = out.squeeze(-1)
    return out
