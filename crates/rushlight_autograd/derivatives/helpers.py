# Functions that derivatives call.
import torch
from typing import Dict, List, Optional, Tuple
from torch import Tensor


def restore(grad: Tensor, sizes: List[int], dims: Optional[List[int]], keepdim: bool) -> Tensor:
    """A gradient of a reduction with the reduced dimensions back, as large as before."""
    return raised(grad, sizes, dims, keepdim).expand(sizes)


def raised(grad: Tensor, sizes: List[int], dims: Optional[List[int]], keepdim: bool) -> Tensor:
    """The same with dimensions of one."""
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
    return grad


def count(sizes: List[int], dims: Optional[List[int]]) -> int:
    """How many numbers a reduction takes together."""
    total = 1
    if dims is not None and len(dims) > 0:
        # A tensor without dimensions is reduced along its only number.
        for d in dims if len(sizes) > 0 else torch.jit.annotate(List[int], []):
            total *= sizes[d]
    else:
        for size in sizes:
            total *= size
    return total


def linear_parts(input: Tensor, weight: Tensor, bias: Optional[Tensor]) -> Tensor:
    """A linear layer as the products that it is made of."""
    if bias is not None and input.dim() == 2:
        return torch.addmm(bias, input, weight.t())
    if bias is not None and input.is_contiguous() and input.numel() > 0:
        rows = torch.addmm(bias, input.view([-1, input.size(-1)]), weight.t())
        return torch._unsafe_view(rows, input.size()[:-1] + [weight.size(0)])
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
        return torch.mm(a.unsqueeze(0), b).squeeze_(0)
    if a.dim() == 2 and b.dim() == 2:
        return torch.mm(a, b)
    if b.dim() <= 2:
        rows = a.reshape([count(a.size()[:-1], None), a.size(-1)])
        if b.dim() == 1:
            return torch._unsafe_view(torch.mv(rows, b), a.size()[:-1])
        return torch._unsafe_view(torch.mm(rows, b), a.size()[:-1] + [b.size(1)])
    turned = b.mT
    is_flat = folds(turned)
    if a.dim() <= 2 and (a.requires_grad or a.dim() == 1 and is_flat):
        # The batch becomes rows, which the few columns stand behind.
        sizes = turned.size()[:-1]
        flat = [count(sizes, None), turned.size(-1)]
        rows = turned.view(flat) if is_flat else torch._unsafe_view(turned.clone(memory_format=torch.contiguous_format), flat)
        if a.dim() == 1:
            return torch._unsafe_view(torch.mv(rows, a), sizes)
        return torch._unsafe_view(torch.mm(rows, a.t()), sizes + [a.size(0)]).mT.contiguous()
    left = a.unsqueeze(0) if a.dim() == 1 else a
    right = b.unsqueeze(-1) if b.dim() == 1 else b
    batch = torch.broadcast_shapes(left.size()[:-2], right.size()[:-2])
    total = count(batch, None) if len(batch) > 0 else 1
    n, k, m = left.size(-2), left.size(-1), right.size(-1)
    x = left.expand(batch + [n, k]).reshape([total, n, k])
    y = right.expand(batch + [right.size(-2), m]).reshape([total, right.size(-2), m])
    shape = list(batch)
    if a.dim() > 1:
        shape.append(n)
    if b.dim() > 1:
        shape.append(m)
    return torch._unsafe_view(torch.bmm(x, y), shape)


def folds(x: Tensor) -> bool:
    """Whether all dimensions but the last are one in memory."""
    for d in range(x.dim() - 2):
        if x.numel() > 0 and x.stride(d) != x.stride(d + 1) * x.size(d + 1):
            return False
    return True


def need(value: Optional[Tensor]) -> Tensor:
    """A tensor that is there."""
    assert value is not None
    return value


def times_number(grad: Tensor, by: number) -> Tensor:
    """A gradient of what was multiplied by a number, which may be complex."""
    return (grad.conj() * by).conj_physical() if grad.is_complex() else grad * by


def over_number(grad: Tensor, by: number) -> Tensor:
    return (grad.conj() / by).conj_physical() if grad.is_complex() else grad / by


def sgn_grad(grad: Tensor, x: Tensor, result: Tensor) -> Tensor:
    if not x.is_complex():
        return torch.zeros_like(grad)
    size = torch.abs(x)
    return ((grad - torch.real(grad / result) * result) / size).masked_fill(size == 0, 0)


def angle_grad(grad: Tensor, x: Tensor) -> Tensor:
    if not x.is_complex():
        return torch.zeros_like(x)
    real, imag = torch.real(x), torch.imag(x)
    square = real * real + imag * imag
    return torch.complex(torch.where(square == 0, 0.0, -grad * imag / square), torch.where(square == 0, 0.0, grad * real / square))


def sinc_grad(grad: Tensor, x: Tensor) -> Tensor:
    y, square = x * 3.141592653589793, x * x * 3.141592653589793
    return torch.where(square == 0, 0.0, grad * ((y * torch.cos(y) - torch.sin(y)) / square).conj())


def by_logarithm(grad: Tensor, x: Tensor, logarithm: Tensor, is_finite: bool) -> Tensor:
    """The gradient of what multiplies a logarithm: none of zeros where that is no finite number."""
    return grad * logarithm if is_finite else torch.where(x == 0, 0.0, grad * logarithm)


def logit_grad(grad: Tensor, x: Tensor, eps: Optional[float]) -> Tensor:
    out = grad / (x * (1 - x))
    if eps is not None:
        return out.masked_fill((x < eps) | (x > 1 - eps), 0)
    return out.masked_fill((x < 0) | (x > 1), float("nan"))


def clamp_inside(x: Tensor, low: Optional[number], high: Optional[number]) -> Tensor:
    """Where numbers lie between the bounds and on none of them."""
    if low is None:
        assert high is not None
        return x < high
    if high is None:
        return x > low
    return (x > low) & (x < high)


def clamp_grad(grad: Tensor, x: Tensor, low: Optional[Tensor], high: Optional[Tensor]) -> Tensor:
    """The gradient of what is clamped: half of it on a bound, unless both bounds meet there."""
    if low is None:
        assert high is not None
        return torch.where(x > high, 0.0, torch.where(x == high, grad / 2, grad))
    if high is None:
        return torch.where(x < low, 0.0, torch.where(x == low, grad / 2, grad))
    on_bound = ((x == low) & (x < high)) | ((x == high) & (x > low))
    return torch.where((x < low) | (x > high), 0.0, torch.where(on_bound, grad / 2, grad))


def clamp_min_grad(grad: Tensor, x: Tensor, low: Tensor, high: Optional[Tensor]) -> Tensor:
    if high is None:
        return torch.where(x > low, 0.0, torch.where(x == low, grad / 2, grad))
    on_bound = (x == low) & (low < high)
    return torch.where(on_bound | ((x < low) & (low <= high)), torch.where(on_bound, grad / 2, grad), 0.0)


def clamp_max_grad(grad: Tensor, x: Tensor, low: Optional[Tensor], high: Tensor) -> Tensor:
    if low is None:
        return torch.where(x < high, 0.0, torch.where(x == high, grad / 2, grad))
    on_bound = (x == high) & (low < high)
    beyond = (low > high) | ((x > high) & (low <= high))
    return torch.where(on_bound | beyond, torch.where(on_bound, grad / 2, grad), 0.0)


def power_grad(grad: Tensor, base: number, exponent: Tensor, result: Tensor) -> Tensor:
    """The gradient of an exponent; nothing changes where zero is raised to what is not negative."""
    slope = (result * torch.log(torch.scalar_tensor(base, dtype=result.dtype))).conj()
    if base == 0 and not exponent.is_complex():
        slope = slope.masked_fill(exponent >= 0, 0)
    return grad * slope


def complex_exponent_grad(grad: Tensor, base: Tensor, exponent: Tensor, result: Tensor) -> Tensor:
    rests = (base == 0) & (torch.real(exponent) >= 0)
    if exponent.is_complex():
        rests = rests & (torch.imag(exponent) == 0)
    return torch.where(rests, 0.0, grad * (result * base.log()).conj())


def gelu_curve(grad: Tensor, x: Tensor, approximate: str) -> Tensor:
    """The second derivative of `gelu`, times a gradient; so the others that end in `_curve`."""
    if approximate == "tanh":
        t = torch.tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))
        slope = 0.7978845608028654 * (1 + 0.134145 * x * x)
        bend = 0.7978845608028654 * 0.26829 * x
        return grad * (1 - t * t) * (slope + 0.5 * x * (bend - 2 * t * slope * slope))
    return grad * (2 - x * x) * torch.exp(-0.5 * x * x) * 0.3989422804014327


def silu_curve(grad: Tensor, x: Tensor) -> Tensor:
    s = torch.sigmoid(x)
    return grad * (s * (1 - s) * (2 + x * (1 - 2 * s)))


def mish_curve(grad: Tensor, x: Tensor) -> Tensor:
    t = torch.tanh(torch.softplus(x))
    s = torch.sigmoid(x)
    w = s * (1 - t * t)
    return grad * (w * (2 + x * (1 - s - 2 * s * t)))


def softplus_curve(grad: Tensor, scaled: Tensor, beta: number, threshold: number) -> Tensor:
    s = torch.sigmoid(scaled)
    return torch.where(scaled >= threshold, 0.0, grad * beta * s * (1 - s))


def elu_curve(grad: Tensor, alpha: number, scale: number, input_scale: number, is_result: bool, x: Tensor) -> Tensor:
    if is_result:
        return torch.where(x < 0, grad * input_scale, 0.0)
    return torch.where(x < 0, grad * (alpha * scale * input_scale * input_scale) * torch.exp(x * input_scale), 0.0)


def glu_grad(narrow: Tensor, x: Tensor, dim: int) -> Tensor:
    grad = widened(narrow)
    a, b = torch.chunk(widened(x), 2, dim)
    s = torch.sigmoid(b)
    return torch.cat([grad * s, grad * a * s * (1 - s)], dim)


def prelu_weight(weight: Tensor, sizes: List[int]) -> Tensor:
    """The weight in a shape that meets the channels."""
    rank = len(sizes)
    if weight.dim() == 0 or rank == 0:
        return weight.reshape([])
    shape = [1] * rank
    if rank >= 2:
        shape[1] = weight.numel()
    else:
        shape[0] = weight.numel()
    return weight.reshape(shape)


def real_noise(x: Tensor) -> Tensor:
    """A real tensor that meets the elements, to be drawn."""
    return torch.empty_like(torch.real(x)) if x.is_complex() else torch.empty_like(x)


def dropout_parts(x: Tensor, p: float, train: bool) -> Tensor:
    assert p >= 0.0 and p <= 1.0
    if not train or p == 0.0 or x.numel() == 0:
        return x
    if p == 1.0:
        return x * torch.zeros([], dtype=x.dtype)
    return x * real_noise(x).bernoulli_(1 - p).div_(1 - p)


def feature_noise(x: Tensor) -> Tensor:
    return torch.empty(x.size()[:2] + [1] * (x.dim() - 2), dtype=torch.real(x).dtype if x.is_complex() else x.dtype)


def feature_dropout_parts(x: Tensor, p: float, train: bool) -> Tensor:
    assert p >= 0.0 and p <= 1.0
    if not train or p == 0.0 or x.numel() == 0:
        return x
    if p == 1.0:
        return x * torch.zeros([], dtype=x.dtype)
    return x * feature_noise(x).bernoulli_(1 - p).div_(1 - p)


def alpha_dropout_parts(x: Tensor, p: float, train: bool, by_feature: bool) -> Tensor:
    assert p >= 0.0 and p <= 1.0
    if not train or p == 0.0 or x.numel() == 0:
        return x
    if p == 1.0:
        return x * torch.zeros([], dtype=x.dtype)
    alpha = 1.7580993408473766
    a = 1.0 / ((alpha * alpha * p + 1) * (1 - p)) ** 0.5
    noise = (feature_noise(x) if by_feature else real_noise(x)).bernoulli_(1 - p)
    b = (noise - 1) * (alpha * a) + alpha * a * p
    return x * (noise * a) + b


def alpha_dropout_grad(grad: Tensor, result: Tensor, p: float, train: bool) -> Tensor:
    """What was dropped in place is known by the number that all of it became."""
    if not train or p == 0.0:
        return grad
    if p == 1.0:
        return torch.zeros_like(grad)
    alpha = 1.7580993408473766
    a = 1.0 / ((alpha * alpha * p + 1) * (1 - p)) ** 0.5
    dropped = (torch.zeros([], dtype=result.dtype) - 1) * (alpha * a) + alpha * a * p
    return grad * (result != dropped) * a


def all_dims(dims: Optional[List[int]], sizes: List[int]) -> List[int]:
    if dims is not None and len(dims) > 0:
        return dims
    return [d for d in range(len(sizes))]


def same(x: Tensor, result: Tensor) -> Tensor:
    """Where a number is the one that was found; what is no number is every other that is none."""
    return (x == result) | (x.isnan() & result.isnan())


def even(grad: Tensor, mask: Tensor) -> Tensor:
    """A gradient spread evenly over the places where several numbers are the extreme."""
    return grad.new_zeros(mask.size()).masked_fill(mask, grad / mask.sum())


def extreme_grad(grad: Tensor, x: Tensor, result: Tensor, dims: List[int], keepdim: bool) -> Tensor:
    sizes = x.size()
    mask = x == restore(result, sizes, dims, keepdim)
    every = all_dims(dims, sizes)
    total = mask.sum(every, True) if len(sizes) > 0 else mask.sum()
    return restore(grad, sizes, dims, keepdim) * mask / total


def aminmax_grad(g0: Tensor, g1: Tensor, x: Tensor, low: Tensor, high: Tensor, dim: Optional[int], keepdim: bool) -> Tensor:
    dims: List[int] = []
    if dim is not None:
        dims = [dim]
    return extreme_grad(g0, x, low, dims, keepdim) + extreme_grad(g1, x, high, dims, keepdim)


def var_grad(grad: Tensor, x: Tensor, dims: Optional[List[int]], correction: number, keepdim: bool) -> Tensor:
    sizes = x.size()
    free = float(count(sizes, dims)) - float(correction)
    center = torch.mean(x, all_dims(dims, sizes), True) if x.dim() > 0 else x
    return restore(grad, sizes, dims, keepdim) * (x - center) * (2.0 / free if free > 0.0 else float("nan"))


def std_grad(grad: Tensor, x: Tensor, result: Tensor, dims: Optional[List[int]], correction: number, keepdim: bool) -> Tensor:
    return var_grad((grad / (result * 2)).masked_fill(result == 0, 0), x, dims, correction, keepdim)


def norm_grad(grad: Tensor, x: Tensor, result: Tensor, p: float, dims: Optional[List[int]], keepdim: bool) -> Optional[Tensor]:
    """None where numbers are counted: the gradient of that is nothing, not zeros."""
    sizes = x.size()
    grad = raised(grad, sizes, dims, keepdim)
    norm = raised(result, sizes, dims, keepdim)
    if p == 0.0:
        return None
    if p == 1.0:
        return x.sgn() * grad
    if p == 2.0:
        return (grad / norm).masked_fill(norm == 0, 0) * x
    if p == float("inf") or p == -float("inf"):
        size = x.abs()
        mask = size == norm
        every = all_dims(dims, sizes)
        total = mask.sum(every, True) if x.dim() > 0 else mask.sum()
        return torch.where(mask, x.sgn() * (grad / total), 0.0)
    if p < 1.0:
        return x.sgn() * x.abs().pow(p - 1).masked_fill(x == 0, 0) * grad * norm.pow(1 - p)
    if p < 2.0:
        return x.sgn() * x.abs().pow(p - 1) * (grad / norm.pow(p - 1)).masked_fill(norm == 0, 0)
    return x * x.abs().pow(p - 2) * (grad / norm.pow(p - 1)).masked_fill(norm == 0, 0)


def whole_prod_grad(grad: Tensor, x: Tensor, result: Tensor) -> Tensor:
    """Quotients, unless a zero is among the numbers."""
    if x.dim() == 0:
        return grad
    if bool((x != 0).all()):
        return grad * (result / x).conj()
    return prod_grad(grad, x.reshape(-1), 0).reshape(x.size())


def dim_prod_grad(grad: Tensor, x: Tensor, result: Tensor, dim: int, keepdim: bool) -> Tensor:
    if x.dim() == 0:
        return grad
    along = grad if keepdim else grad.unsqueeze(dim)
    if bool((x != 0).all()):
        return along * ((result if keepdim else result.unsqueeze(dim)) / x).conj()
    return prod_grad(along, x, dim)


def prod_grad(grad: Tensor, x: Tensor, dim: int) -> Tensor:
    """The products of all numbers but one, from the left and from the right."""
    n = x.size(dim)
    if n == 0:
        return torch.zeros_like(x)
    ones = torch.ones_like(x.narrow(dim, 0, 1))
    left = torch.cat([ones, x.narrow(dim, 0, n - 1)], dim).cumprod(dim)
    right = torch.cat([x.narrow(dim, 1, n - 1), ones], dim).flip(dim).cumprod(dim).flip(dim)
    return grad * (left * right).conj()


def cumprod_grad(grad: Tensor, x: Tensor, result: Tensor, dim: int) -> Tensor:
    if x.dim() == 0 or x.numel() == 0:
        return grad
    if bool((x != 0).all()):
        return (grad * result.conj()).flip(dim).cumsum(dim).flip(dim) / x.conj()
    # What an element was multiplied with, where a quotient does not tell.
    n = x.size(dim)
    before = torch.ones_like(x.narrow(dim, 0, 1))
    parts: List[Tensor] = []
    for i in range(n):
        others = torch.cat([before, x.narrow(dim, i + 1, n - i - 1)], dim).cumprod(dim)
        parts.append((grad.narrow(dim, i, n - i) * others.conj()).sum([dim], True))
        before = before * x.narrow(dim, i, 1)
    return torch.cat(parts, dim)


def log_sum_after(x: Tensor, dim: int) -> Tensor:
    """At every place `logcumsumexp` of what is there and behind."""
    return torch.logcumsumexp(x.flip(dim), dim).flip(dim)


def logcumsumexp_grad(grad: Tensor, x: Tensor, result: Tensor, dim: int) -> Tensor:
    """Sums of gradients over exponentials that may be too small for numbers, so signs are summed apart, by logarithms."""
    if x.dim() == 0 or x.numel() == 0:
        return grad
    if x.is_complex():
        most = torch.amax(torch.real(x), dim, True)
        weights = grad * torch.exp(most - result).conj()
        return weights.flip(dim).cumsum(dim).flip(dim) * torch.exp(x - most).conj()
    up = torch.exp(log_sum_after(torch.log(grad.clamp_min(0)) - result, dim) + x)
    down = torch.exp(log_sum_after(torch.log((-grad).clamp_min(0)) - result, dim) + x)
    return up - down


def logcumsumexp_parts(x: Tensor, dim: int) -> Tensor:
    most = torch.amax(torch.real(x.detach()) if x.is_complex() else x.detach(), dim, True)
    return torch.log(torch.cumsum(torch.exp(x - most), dim)) + most


def sum_to_size_parts(x: Tensor, size: List[int]) -> Tensor:
    if len(size) == 0:
        return x.sum()
    more = x.dim() - len(size)
    assert more >= 0
    dims = [d for d in range(more)]
    for d in range(len(size)):
        assert size[d] == 1 or size[d] == x.size(more + d)
        if size[d] == 1 and x.size(more + d) != 1:
            dims.append(more + d)
    if len(dims) > 0:
        x = x.sum(dims, True)
    return x.view(size) if more > 0 else x


def diff_parts(x: Tensor, n: int, dim: int, before: Optional[Tensor], after: Optional[Tensor]) -> Tensor:
    parts: List[Tensor] = []
    if before is not None:
        parts.append(before)
    parts.append(x)
    if after is not None:
        parts.append(after)
    assert n >= 0 and x.dim() >= 1
    for part in parts:
        assert part.dim() == x.dim()
        for d in range(x.dim()):
            assert d == dim or d == dim + x.dim() or part.size(d) == x.size(d)
    if n == 0:
        return torch.empty_like(x).copy_(x)
    out = torch.cat(parts, dim) if len(parts) > 1 else x
    for _ in range(n):
        length = out.size(dim)
        if length > 0:
            out = out.narrow(dim, 1, length - 1) - out.narrow(dim, 0, length - 1)
    return out


def scatter_back(grad: Tensor, index: Tensor, sizes: List[int], dim: int) -> Tensor:
    if len(sizes) == 0:
        return grad
    return torch.zeros(sizes, dtype=grad.dtype).scatter_add(dim, index, grad)


def steps_of(x: Tensor, dim: int, rank: int) -> Tensor:
    """The distances of neighbouring numbers, in a shape that meets `dim`."""
    if x.dim() == 1:
        n = x.size(0)
        shape = [1] * rank
        shape[dim] = n - 1
        return (x.narrow(0, 1, n - 1) - x.narrow(0, 0, n - 1)).reshape(shape)
    n = x.size(dim)
    return x.narrow(dim, 1, n - 1) - x.narrow(dim, 0, n - 1)


def trapezoid_back(grad: Tensor, sizes: List[int], dim: int, dx: number) -> Tensor:
    """Every number counts once for each neighbour."""
    d = dim + len(sizes) if dim < 0 else dim
    if sizes[d] < 2:
        return torch.zeros(sizes, dtype=grad.dtype)
    own = (grad * dx / 2).unsqueeze(d).expand(sizes[:d] + [sizes[d] - 1] + sizes[d + 1 :])
    before = [0, 0] * (len(sizes) - 1 - d)
    return torch.constant_pad_nd(own, before + [0, 1]) + torch.constant_pad_nd(own, before + [1, 0])


def quantile_parts(x: Tensor, q: Tensor, dim: Optional[int], keepdim: bool, how: str) -> Tensor:
    flat = x.reshape(-1) if dim is None or x.dim() == 0 else x.movedim(dim, -1)
    return between_ranks(x.dim(), flat, q.reshape(-1).to(torch.float64) * (flat.size(-1) - 1), q.dim() == 0, dim, keepdim, how)


def nanquantile_parts(x: Tensor, q: Tensor, dim: Optional[int], keepdim: bool, how: str) -> Tensor:
    flat = x.reshape(-1) if dim is None or x.dim() == 0 else x.movedim(dim, -1)
    most = (torch.logical_not(flat.isnan()).sum([-1], True) - 1).clamp_min(0)
    return between_ranks(x.dim(), flat, q.reshape(-1).to(torch.float64) * most, q.dim() == 0, dim, keepdim, how)


def between_ranks(rank: int, flat: Tensor, place: Tensor, single: bool, dim: Optional[int], keepdim: bool, how: str) -> Tensor:
    """What lies at places among the ordered numbers of rows; those that are no numbers come last."""
    ordered = torch.sort(flat, -1)[0]
    low, high = torch.floor(place.detach()), torch.ceil(place.detach())
    part = place - low
    if how == "lower":
        part = torch.zeros_like(part)
    elif how == "higher":
        part = (part > 0).to(part.dtype)
    elif how == "nearest":
        part = torch.round(place.detach()) - low
    elif how == "midpoint":
        part = (part > 0).to(part.dtype) * 0.5
    sizes = flat.size()[:-1] + [place.size(-1)]
    below = ordered.gather(-1, low.to(torch.long).expand(sizes))
    above = ordered.gather(-1, high.to(torch.long).expand(sizes))
    out = (below + (above - below) * part.to(flat.dtype)).movedim(-1, 0)
    if keepdim and rank > 0:
        out = out.reshape(out.size() + [1] * rank) if dim is None else out.unsqueeze(dim + 1 if dim >= 0 else dim)
    return out.squeeze(0) if single else out


def cov_parts(x: Tensor, correction: int, counts: Optional[Tensor], shares: Optional[Tensor]) -> Tensor:
    rows = x.unsqueeze(0) if x.dim() < 2 else x
    if x.dim() == 0:
        rows = x.reshape([1, 1])
    if not rows.is_floating_point() and not rows.is_complex():
        rows = rows.to(torch.float64)
    n = rows.size(1)
    w = torch.ones([n], dtype=torch.float64)
    if counts is not None:
        w = w * counts
    if shares is not None:
        w = w * shares
    total = w.sum()
    norm = total - correction
    if shares is not None:
        norm = total - correction * (w * shares).sum() / total
    share = (w / total).to(rows.dtype)
    center = rows - (rows * share).sum([1], True)
    return (torch.matmul(center * w.to(rows.dtype), center.t().conj()) / norm.clamp_min(0).to(rows.dtype)).squeeze()


def renorm_parts(x: Tensor, p: float, dim: int, most: float) -> Tensor:
    dims: List[int] = []
    for d in range(x.dim()):
        if d != (dim + x.dim() if dim < 0 else dim):
            dims.append(d)
    norm = torch.linalg_vector_norm(x, p, dims, True)
    return x * torch.where(norm > most, most / (norm + 1e-7), 1.0)


def broadcast_parts(tensors: List[Tensor]) -> List[Tensor]:
    shape: List[int] = []
    for t in tensors:
        shape = torch.broadcast_shapes(shape, t.size())
    out: List[Tensor] = []
    for t in tensors:
        out.append(t if list(t.size()) == shape else t.expand(shape))
    return out


def selected(grad: Tensor, dim: int, indices: Tensor, keepdim: bool) -> Tensor:
    if keepdim or grad.dim() == 0:
        return torch.gather(grad, dim, indices)
    return torch.gather(grad, dim, indices.unsqueeze(dim)).squeeze(dim)


def gathered(grad: Tensor, dim: int, index: Tensor, sizes: List[int]) -> Tensor:
    """The gradient of what was scattered, of which ``index`` names a part."""
    found = grad.gather(dim, index)
    if found.shape == sizes or found.dim() == 0:
        return found
    padding: List[int] = []
    for i in range(found.dim()):
        at = found.dim() - 1 - i
        padding.append(0)
        padding.append(sizes[at] - found.size(at))
    return torch.constant_pad_nd(found, padding, 0)
