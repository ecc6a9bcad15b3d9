# Functions that the derivatives of views, joins and indices call.


def flat_sizes(sizes: List[int], start: int, end: int) -> List[int]:
    rank = len(sizes)
    if rank == 0:
        return [1]
    first = start + rank if start < 0 else start
    last = end + rank if end < 0 else end
    if first == last:
        return sizes
    total = 1
    for d in range(first, last + 1):
        total *= sizes[d]
    return sizes[:first] + [total] + sizes[last + 1 :]


def permute_back(grad: Tensor, dims: List[int]) -> Tensor:
    rank = len(dims)
    back = [0] * rank
    for i in range(rank):
        d = dims[i]
        back[d + rank if d < 0 else d] = i
    return grad.permute(back)


def backwards(rank: int) -> List[int]:
    return [rank - 1 - d for d in range(rank)]


def diagonal_back(grad: Tensor, sizes: List[int], offset: int, dim1: int, dim2: int) -> Tensor:
    return torch.diagonal_scatter(torch.zeros(sizes, dtype=grad.dtype), grad, offset, dim1, dim2)


def reach(size: List[int], stride: List[int], offset: int) -> int:
    last = offset + 1
    for i in range(len(size)):
        if size[i] == 0:
            return 0
        last += (size[i] - 1) * stride[i]
    return last


def as_strided_back(grad: Tensor, layout: List[int], size: List[int], stride: List[int], storage_offset: Optional[int]) -> Tensor:
    """Sums of the gradients of all numbers that lie at the same place of the memory, as the argument showed it."""
    rank = len(layout) // 2
    sizes, steps, start = layout[:rank], layout[rank:2 * rank], layout[2 * rank]
    offset = start if storage_offset is None else storage_offset
    total = max(reach(size, stride, offset), reach(sizes, steps, start))
    places = torch.as_strided(torch.arange(total), size, stride, offset).reshape(-1)
    flat = torch.zeros([total], dtype=grad.dtype).index_add(0, places, grad.reshape(-1))
    own = torch.as_strided(torch.arange(total), sizes, steps, start).reshape(-1)
    # Of elements that the argument has more than once each gets its part.
    times = torch.zeros([total], dtype=torch.int64).index_add(0, own, torch.ones_like(own))
    return torch.as_strided(flat / times.clamp_min(1), sizes, steps, start)


def unfold_back(grad: Tensor, sizes: List[int], dim: int, size: int, step: int) -> Tensor:
    if len(sizes) == 0:
        return grad.reshape(sizes)
    d = dim + len(sizes) if dim < 0 else dim
    places = torch.arange(sizes[d]).unfold(0, size, step).reshape(-1)
    last = grad.movedim(-1, d + 1).flatten(d, d + 1)
    return torch.zeros(sizes, dtype=grad.dtype).index_add(d, places, last)


def meshgrid_back(grads: List[Tensor], sizes: List[int], indexing: str) -> List[Tensor]:
    out: List[Tensor] = []
    at = 0
    for i, grad in enumerate(grads):
        rank = sizes[at]
        own = sizes[at + 1 : at + 1 + rank]
        at += 1 + rank
        place = 1 - i if indexing == "xy" and i < 2 and len(grads) > 1 else i
        others: List[int] = []
        for d in range(grad.dim()):
            if d != place:
                others.append(d)
        out.append((grad.sum(others) if len(others) > 0 else grad).reshape(own))
    return out


def cat_back(grad: Tensor, sizes: List[int], dim: int) -> List[Tensor]:
    out: List[Tensor] = []
    axis = dim + grad.dim() if dim < 0 else dim
    start = 0
    at = 0
    while at < len(sizes):
        rank = sizes[at]
        if rank == 1 and sizes[at + 1] == 0:
            out.append(grad.new_zeros([0]))
        else:
            length = sizes[at + 1 + axis]
            out.append(grad.narrow(axis, start, length))
            start += length
        at += rank + 1
    return out


def columns(tensors: List[Tensor]) -> List[Tensor]:
    out: List[Tensor] = []
    for t in tensors:
        out.append(t.reshape([t.numel(), 1]) if t.dim() <= 1 else t)
    return out


def diag_parts(x: Tensor, diagonal: int) -> Tensor:
    assert x.dim() == 1 or x.dim() == 2
    return torch.diag_embed(x, diagonal) if x.dim() == 1 else torch.diagonal_copy(x, diagonal)


def conjugate_transpose(x: Tensor) -> Tensor:
    y = x.transpose(-1, -2)
    return y.conj() if x.is_complex() else y


def atleast_3d_parts(x: Tensor) -> Tensor:
    if x.dim() == 0:
        return x.reshape([1, 1, 1])
    if x.dim() == 1:
        return x.unsqueeze(0).unsqueeze(-1)
    if x.dim() == 2:
        return x.unsqueeze(-1)
    return x


def repeat_back(grad: Tensor, sizes: List[int], repeats: List[int]) -> Tensor:
    if grad.numel() == 0:
        return torch.zeros(sizes, dtype=grad.dtype)
    extra = len(repeats) - len(sizes)
    shape: List[int] = []
    dims: List[int] = []
    for i in range(max(len(repeats), len(sizes))):
        own = sizes[i - max(extra, 0)] if i >= extra else 1
        times = repeats[i] if extra >= 0 else (repeats[i + extra] if i + extra >= 0 else 1)
        dims.append(len(shape))
        shape.append(times)
        shape.append(own)
    if len(dims) == 0:
        return grad
    return grad.reshape(shape).sum(dims).reshape(sizes)


def repeat_interleave_each(x: Tensor, repeats: Tensor, dim: Optional[int]) -> Tensor:
    along = x if dim is not None else x.flatten()
    at = 0 if dim is None else dim
    # One number is for all.
    each = repeats.reshape([-1]).expand([along.size(at)])
    return torch.index_select(along, at, torch.repeat_interleave(each))


def repeat_interleave_parts(x: Tensor, repeats: int, dim: Optional[int]) -> Tensor:
    flat = x if dim is not None else x.reshape(-1)
    d = 0 if dim is None else (dim + x.dim() if dim < 0 else dim)
    sizes = flat.size()
    if flat.dim() == 0:
        return flat.expand([repeats])
    wide = flat.unsqueeze(d + 1).expand(sizes[: d + 1] + [repeats] + sizes[d + 1 :])
    return wide.clone(memory_format=torch.contiguous_format).flatten(d, d + 1)


def take_along_parts(x: Tensor, index: Tensor, dim: Optional[int]) -> Tensor:
    if dim is None:
        return x.reshape(-1).gather(0, torch.where(index < 0, index + x.numel(), index).reshape(-1))
    d = dim + x.dim() if dim < 0 else dim
    index = torch.where(index < 0, index + x.size(d), index)
    a, b = list(x.size()), list(index.size())
    a[d] = 1
    b[d] = 1
    common = torch.broadcast_shapes(a, b)
    left, right = list(common), list(common)
    left[d] = x.size(d)
    right[d] = index.size(d)
    return x.expand(left).gather(d, index.expand(right))


def scatter_reduce_grad(grad: Tensor, x: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, include_self: bool) -> Tuple[Tensor, Tensor]:
    if x.dim() == 0:
        gx, gs = scattered_grad(grad.reshape(1), x.reshape(1), 0, index.reshape(1), src.reshape(1), reduce, include_self)
        return gx.reshape([]), gs.reshape(src.size())
    return scattered_grad(grad, x, dim, index, src, reduce, include_self)


def index_reduce_grad(grad: Tensor, x: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, include_self: bool) -> Tuple[Tensor, Tensor]:
    if x.dim() == 0:
        gx, gs = scattered_grad(grad.reshape(1), x.reshape(1), 0, index.reshape(1), source.reshape(1), reduce, include_self)
        return gx.reshape([]), gs.reshape(source.size())
    sizes = [1] * x.dim()
    sizes[dim] = -1
    places = index.to(torch.long).reshape(sizes).expand(source.size())
    return scattered_grad(grad, x, dim, places, source, reduce, include_self)


def product_slopes(base: Tensor, dim: int, index: Tensor, src: Tensor) -> Tuple[Tensor, Tensor]:
    """For each number the product of all others that are multiplied with it."""
    own_zero, their_zero = base == 0, src == 0
    own_full, their_full = base.masked_fill(own_zero, 1), src.masked_fill(their_zero, 1)
    product = torch.scatter_reduce(own_full, dim, index, their_full, "prod", include_self=True)
    zeros = own_zero.to(base.dtype).scatter_add(dim, index, their_zero.to(base.dtype))
    left = torch.where(own_zero, product * (zeros == 1), product / own_full * (zeros == 0))
    there, count = product.gather(dim, index), zeros.gather(dim, index)
    right = torch.where(their_zero, there * (count == 1), there / their_full * (count == 0))
    return left, right


def scattered_grad(grad: Tensor, x: Tensor, dim: int, index: Tensor, whole: Tensor, reduce: str, include_self: bool) -> Tuple[Tensor, Tensor]:
    ones = torch.ones(index.size(), dtype=x.dtype)
    src = whole
    behind: List[int] = []
    lengths = index.size()
    for d in range(len(lengths)):
        src = src.narrow(d, 0, lengths[d])
        behind = [0, whole.size(d) - lengths[d]] + behind
    counts = torch.zeros_like(x.detach()).scatter_add(dim, index, ones)
    touched = counts > 0
    gx = grad
    gs = grad.gather(dim, index)
    if reduce == "mean":
        n = counts + 1 if include_self else counts.clamp_min(1)
        gx = grad / n
        gs = gx.gather(dim, index)
    if reduce == "prod":
        base = x if include_self else x.masked_fill(touched, 1.0)
        left, right = product_slopes(base, dim, index, src)
        gx, gs = gx * left, right * gs
    if reduce == "amax" or reduce == "amin":
        # The gradient is shared by all that are equal to the result; what is left out counts among them, as in the reference.
        result = torch.scatter_reduce(x.detach(), dim, index, src.detach(), reduce, include_self=include_self)
        own = x == result
        theirs = src == result.gather(dim, index)
        gx = grad / own.to(x.dtype).scatter_add(dim, index, theirs.to(x.dtype))
        gs = theirs * gx.gather(dim, index)
        gx = gx * own
    if not include_self:
        gx = gx.masked_fill(touched, 0.0)
    return gx, gs if gs.size() == whole.size() else torch.constant_pad_nd(gs, behind, 0)


def masked_scatter_back(grad: Tensor, mask: Tensor, sizes: List[int]) -> Tensor:
    total = count(sizes, None)
    taken = grad.masked_select(mask)
    return torch.cat([taken, torch.zeros([total - taken.numel()], dtype=grad.dtype)]).reshape(sizes)


def block_diag_back(grad: Tensor, sizes: List[int]) -> List[Tensor]:
    out: List[Tensor] = []
    row = 0
    column = 0
    at = 0
    while at < len(sizes):
        rank = sizes[at]
        own = sizes[at + 1 : at + 1 + rank]
        height = own[0] if rank == 2 else 1
        width = own[rank - 1] if rank > 0 else 1
        part = grad.narrow(0, row, height).narrow(1, column, width)
        out.append(part if rank == 2 else part.reshape(own))
        row += height
        column += width
        at += rank + 1
    return out


def numbered(sizes: List[int], last: int) -> Tensor:
    """The numbers of the places of the last dimensions, with two dimensions of one before them."""
    own = sizes[len(sizes) - last :]
    return torch.arange(count(own, None), dtype=torch.float64).reshape([1, 1] + own)


def map_back(grad: Tensor, places: Tensor, sizes: List[int], last: int) -> Tensor:
    """Sums of gradients by the place that each number was taken from."""
    own = count(sizes[len(sizes) - last :], None)
    outer = count(sizes[: len(sizes) - last], None) if len(sizes) > last else 1
    flat = torch.zeros([outer, own], dtype=grad.dtype)
    if grad.numel() == 0:
        return flat.reshape(sizes)
    return flat.index_add(1, places.reshape(-1).to(torch.long), grad.reshape([outer, -1])).reshape(sizes)


def pad_parts(x: Tensor, pad: List[int], mode: str, value: Optional[float]) -> Tensor:
    assert len(pad) % 2 == 0
    k = len(pad) // 2
    if mode == "constant":
        return torch.constant_pad_nd(x, pad, 0.0 if value is None else value)
    if mode == "reflect":
        return torch.reflection_pad1d(x, pad) if k == 1 else (torch.reflection_pad2d(x, pad) if k == 2 else torch.reflection_pad3d(x, pad))
    if mode == "replicate":
        return torch.replication_pad1d(x, pad) if k == 1 else (torch.replication_pad2d(x, pad) if k == 2 else torch.replication_pad3d(x, pad))
    out = x
    for i in range(k):
        d = x.dim() - 1 - i
        # What negative padding cuts off is not wrapped around either.
        start = max(-pad[2 * i], 0)
        n = x.size(d) - start - max(-pad[2 * i + 1], 0)
        places = torch.remainder(torch.arange(-max(pad[2 * i], 0), n + max(pad[2 * i + 1], 0)), n) + start
        out = out.index_select(d, places)
    return out


def as_strided_scatter_back(grad: Tensor, size: List[int], stride: List[int], offset: int) -> Tensor:
    """As the reference has it: of what was written over, not of the rest."""
    dense = grad.contiguous()
    return torch.as_strided_scatter(torch.zeros_like(dense), torch.as_strided(dense, size, stride, offset), size, stride, offset)


def combinations_parts(x: Tensor, r: int, with_replacement: bool) -> Tensor:
    assert x.dim() == 1
    return torch.index(x, [torch.combinations(torch.arange(x.size(0)), r, with_replacement)])


def cartesian_parts(tensors: List[Tensor]) -> Tensor:
    for t in tensors:
        assert t.dim() == 1
    if len(tensors) == 1:
        return tensors[0]
    grids = torch.meshgrid(tensors, indexing="ij")
    return torch.stack([g.flatten() for g in grids], 1)


def pieces_back(grads: List[Tensor], sizes: List[int], dim: int, indices: List[int]) -> Tensor:
    """Of pieces that begin at indices, which may go back: then some elements are in several pieces."""
    count = 0
    for grad in grads:
        count += grad.size(dim)
    n = sizes[dim]
    if count == n:
        return torch.cat(grads, dim)
    out = torch.slice_backward(grads[0], sizes, dim, 0, grads[0].size(dim), 1)
    for i in range(len(indices)):
        start = indices[i] + n if indices[i] < 0 else indices[i]
        start = min(max(start, 0), n)
        grad = grads[i + 1]
        out = out + torch.slice_backward(grad, sizes, dim, start, start + grad.size(dim), 1)
    return out


def narrow_back(grad: Tensor, sizes: List[int], dim: int, start: int, length: int) -> Tensor:
    d = dim + len(sizes) if dim < 0 else dim
    first = start + sizes[d] if start < 0 else start
    return torch.slice_backward(grad, sizes, d, first, first + length, 1)


def scaling(norm: Optional[str], forward: bool) -> int:
    """0: none; 1: by the root of the size; 2: by the size."""
    if norm is not None and norm == "ortho":
        return 1
    scaled = norm is not None and norm == "forward"
    return 2 if scaled == forward else 0


def complex_of(x: Tensor) -> Tensor:
    if x.is_complex():
        return x
    assert x.dtype != torch.float16 and x.dtype != torch.bfloat16
    return x.to(torch.complex128 if x.dtype == torch.float64 else torch.complex64)


def resized(x: Tensor, n: Optional[int], dim: int) -> Tensor:
    """Cut or filled with zeros to a size along a dimension."""
    if n is None or n == x.size(dim):
        return x
    if n < x.size(dim):
        return x.narrow(dim, 0, n)
    d = dim + x.dim() if dim < 0 else dim
    return torch.constant_pad_nd(x, [0] * (2 * (x.dim() - 1 - d)) + [0, n - x.size(d)], 0)


def spectrum(x: Tensor, n: Optional[int], dim: int, norm: Optional[str], forward: bool) -> Tensor:
    y = resized(x, n, dim)
    if y.is_complex():
        return torch._fft_c2c(y, [dim], scaling(norm, forward), forward)
    if forward:
        return torch._fft_r2c(y, [dim], scaling(norm, True), False)
    return torch._fft_r2c(y, [dim], scaling(norm, False), False).conj()


def fft_dims(rank: int, s: Optional[List[int]], dim: Optional[List[int]]) -> List[int]:
    if dim is not None:
        assert s is None or len(s) == len(dim)
        places = [d + rank if d < 0 else d for d in dim]
        for i in range(len(places)):
            assert places[i] not in places[:i]
        return dim
    if s is not None:
        return [d - len(s) for d in range(len(s))]
    return [d for d in range(rank)]


def spectra(x: Tensor, s: Optional[List[int]], dim: Optional[List[int]], norm: Optional[str], forward: bool) -> Tensor:
    dims = fft_dims(x.dim(), s, dim)
    y = complex_of(x)
    if s is not None:
        for i in range(len(dims)):
            y = resized(y, s[i] if s[i] != -1 else None, dims[i])
    return torch._fft_c2c(y, dims, scaling(norm, forward), forward)


def real_spectra(x: Tensor, s: Optional[List[int]], dim: Optional[List[int]], norm: Optional[str]) -> Tensor:
    dims = fft_dims(x.dim(), s, dim)
    if s is not None:
        for i in range(len(dims)):
            x = resized(x, s[i] if s[i] != -1 else None, dims[i])
    return torch._fft_r2c(x, dims, scaling(norm, True), True)


def half_spectrum(x: Tensor, s: Optional[List[int]], dims: List[int]) -> Tuple[Tensor, int]:
    """The part of a spectrum that a real signal is made from, and the signal's last size."""
    y = complex_of(x)
    last = 2 * (x.size(dims[len(dims) - 1]) - 1)
    if s is not None:
        for i in range(len(dims) - 1):
            y = resized(y, s[i] if s[i] != -1 else None, dims[i])
        if s[len(s) - 1] != -1:
            last = s[len(s) - 1]
    return resized(y, last // 2 + 1, dims[len(dims) - 1]), last


def from_real_spectra(x: Tensor, s: Optional[List[int]], dim: Optional[List[int]], norm: Optional[str]) -> Tensor:
    dims = fft_dims(x.dim(), s, dim)
    y, last = half_spectrum(x, s, dims)
    return torch._fft_c2r(y, dims, scaling(norm, False), last)


def real_back(grad: Tensor, sizes: List[int], dim: List[int], normalization: int, onesided: bool) -> Tensor:
    last = dim[len(dim) - 1]
    return torch.real(torch._fft_c2c(resized(grad, sizes[last], last), dim, normalization, False))


def half_back(grad: Tensor, sizes: List[int], dim: List[int], normalization: int) -> Tensor:
    """Inner places stand for two numbers each."""
    last = dim[len(dim) - 1]
    out = torch._fft_r2c(grad, dim, normalization, True)
    double = out.size(last) - (2 if grad.size(last) % 2 == 0 else 1)
    weights = torch.ones([out.size(last)], dtype=grad.dtype)
    if double > 0:
        weights[1 : 1 + double] = 2.0
    d = last + out.dim() if last < 0 else last
    return out * weights.reshape([-1] + [1] * (out.dim() - 1 - d))
