# Functions that the derivatives of products and of the algebra of matrices call.


def tensordot_parts(a: Tensor, b: Tensor, dims_a: List[int], dims_b: List[int]) -> Tensor:
    left: List[int] = []
    right: List[int] = []
    da = [d + a.dim() if d < 0 else d for d in dims_a]
    db = [d + b.dim() if d < 0 else d for d in dims_b]
    sizes: List[int] = []
    inner = 1
    for d in range(a.dim()):
        if d not in da:
            left.append(d)
            sizes.append(a.size(d))
    for d in range(b.dim()):
        if d not in db:
            right.append(d)
            sizes.append(b.size(d))
    for i in range(len(da)):
        # A dimension of size one meets any.
        if a.size(da[i]) == 1 and b.size(db[i]) != 1:
            b = b.sum([db[i]], True)
        elif b.size(db[i]) == 1 and a.size(da[i]) != 1:
            a = a.sum([da[i]], True)
        inner *= a.size(da[i])
    x = a.permute(left + da).reshape([-1, inner])
    y = b.permute(db + right).reshape([inner, -1])
    return torch.mm(x, y).reshape(sizes)


def outer_parts(a: Tensor, b: Tensor) -> Tensor:
    assert a.dim() == 1 and b.dim() == 1
    return a.reshape([-1, 1]) * b


def inner_parts(a: Tensor, b: Tensor) -> Tensor:
    if a.dim() == 0 or b.dim() == 0:
        return a * b
    assert a.size(-1) == b.size(-1)
    return torch.tensordot(a, b, [-1], [-1])


def product_like(a: Tensor, b: Tensor, layout: List[int]) -> Tensor:
    """The product of matrices, by columns where the matrix that it is the gradient of lies so."""
    if layout[2] == 1 and layout[3] == layout[0]:
        return b.t().mm(a.t()).t()
    return a.mm(b)


def kron_parts(a: Tensor, b: Tensor) -> Tensor:
    rank = max(a.dim(), b.dim())
    x = a.reshape([1] * (rank - a.dim()) + a.size())
    y = b.reshape([1] * (rank - b.dim()) + b.size())
    sizes: List[int] = []
    for d in range(rank):
        sizes.append(x.size(d) * y.size(d))
    for d in range(rank):
        x = x.unsqueeze(2 * d + 1)
        y = y.unsqueeze(2 * d)
    return (x * y).reshape(sizes)


def einsum_parts(equation: str, tensors: List[Tensor]) -> Tensor:
    """A sum of products: every tensor with all letters as dimensions, multiplied, and summed over those not asked for."""
    text = equation.replace(" ", "").replace("...", ".")
    sides = text.split("->")
    terms = sides[0].split(",")
    dots = 0
    for i in range(len(terms)):
        if "." in terms[i]:
            dots = max(dots, tensors[i].dim() - len(terms[i]) + 1)
    letters: List[str] = []
    counts: Dict[str, int] = {}
    for term in terms:
        for c in term:
            if c != ".":
                counts[c] = (counts[c] if c in counts else 0) + 1
                if c not in letters:
                    letters.append(c)
    letters.sort()
    wanted: List[str] = []
    dotted = False
    if len(sides) > 1:
        for c in sides[1]:
            if c == ".":
                dotted = True
            else:
                wanted.append(c)
    else:
        dotted = dots > 0
        for c in letters:
            if counts[c] == 1:
                wanted.append(c)
    order: List[str] = []
    if len(sides) > 1:
        order = [c for c in sides[1]]
    else:
        if dots > 0:
            order.append(".")
        order = order + wanted
    every = list(wanted)
    for c in letters:
        if c not in wanted:
            every.append(c)
    spread: List[Tensor] = []
    for i in range(len(tensors)):
        spread.append(term_of(tensors[i], terms[i], every, dots))
    out = spread[0]
    for i in range(1, len(spread)):
        keep: List[bool] = []
        for d in range(out.dim()):
            needed = dotted if d < dots else every[d - dots] in wanted
            for k in range(i + 1, len(spread)):
                needed = needed or spread[k].size(d) != 1
            keep.append(needed)
        out = contracted(out, spread[i], keep)
    summed: List[int] = []
    for d in range(len(every)):
        if every[d] not in wanted:
            summed.append(dots + d)
    if not dotted:
        for d in range(dots):
            summed.append(d)
    if len(summed) > 0:
        out = out.sum(summed)
    # The dimensions are now the dots, then the letters in their order.
    axes: List[int] = []
    hidden = dots if dotted else 0
    for c in order:
        if c == ".":
            for d in range(hidden):
                axes.append(d)
        else:
            place = 0
            for k in range(len(wanted)):
                if wanted[k] == c:
                    place = k
            axes.append(hidden + place)
    return out.permute(axes) if len(axes) > 0 else out


def contracted(a: Tensor, b: Tensor, keep: List[bool]) -> Tensor:
    """The product of two tensors of as many dimensions, each as long as the other's or 1, summed over those that are not kept."""
    batch: List[int] = []
    left: List[int] = []
    right: List[int] = []
    summed: List[int] = []
    for d in range(a.dim()):
        if a.size(d) != 1 and b.size(d) != 1:
            if keep[d]:
                batch.append(d)
            else:
                summed.append(d)
        elif a.size(d) != 1:
            if keep[d]:
                left.append(d)
            else:
                a = a.sum([d], True)
        elif b.size(d) != 1:
            if keep[d]:
                right.append(d)
            else:
                b = b.sum([d], True)
    if len(summed) == 0:
        return a * b
    sizes: List[int] = []
    counts = [1, 1, 1, 1]
    groups = [batch, left, right, summed]
    for g in range(4):
        for d in groups[g]:
            n = a.size(d) if g != 2 else b.size(d)
            counts[g] = counts[g] * n
            if g < 3:
                sizes.append(n)
    others: List[int] = []
    for d in range(a.dim()):
        if d not in batch and d not in left and d not in right and d not in summed:
            others.append(d)
    x = a.permute(batch + left + summed + right + others).reshape([counts[0], counts[1], counts[3]])
    y = b.permute(batch + summed + right + left + others).reshape([counts[0], counts[3], counts[2]])
    order = batch + left + right + summed + others
    while len(sizes) < len(order):
        sizes.append(1)
    axes: List[int] = []
    for d in range(len(order)):
        for k in range(len(order)):
            if order[k] == d:
                axes.append(k)
    return torch.bmm(x, y).reshape(sizes).permute(axes)


def term_of(x: Tensor, term: str, every: List[str], dots: int) -> Tensor:
    """A tensor with a dimension for every letter, those of the dots before them."""
    own: List[str] = []
    names: List[str] = []
    for c in term:
        if c == ".":
            for d in range(x.dim() - len(term) + 1):
                names.append("." + str(d + dots - (x.dim() - len(term) + 1)))
        else:
            names.append(c)
    i = 0
    while i < len(names):
        if names[i] in own:
            first = 0
            for k in range(len(own)):
                if own[k] == names[i]:
                    first = k
            x = x.diagonal(0, first, len(own)).movedim(-1, first)
        else:
            own.append(names[i])
        i += 1
    axes: List[int] = []
    shape: List[int] = []
    targets: List[str] = []
    for d in range(dots):
        targets.append("." + str(d))
    targets = targets + every
    for c in targets:
        size = 1
        for k in range(len(own)):
            if own[k] == c:
                axes.append(k)
                size = x.size(k)
        shape.append(size)
    return x.permute(axes).reshape(shape)


def multi_dot_parts(tensors: List[Tensor]) -> Tensor:
    out = tensors[0]
    for i in range(1, len(tensors)):
        out = torch.matmul(out, tensors[i])
    return out


def solve_grad(grad: Tensor, a: Tensor, b_sizes: List[int], x: Tensor, left: bool, needs: List[bool]) -> Tuple[Tensor, Tensor]:
    vector = len(b_sizes) == 1 or (a.dim() - 1 == len(b_sizes) and b_sizes == list(a.size()[:-1]))
    g = torch.linalg_solve(a.mT.conj(), grad, left=left)
    if vector:
        g = g.contiguous()
        return -torch.matmul(g.unsqueeze(-1), x.conj().unsqueeze(-2)), g
    if left:
        return -torch.matmul(g, x.mT.conj()), g
    return -torch.matmul(x.mT.conj(), g), g


def triangular_part(x: Tensor, upper: bool, unit: bool) -> Tensor:
    if upper:
        return x.triu(1 if unit else 0)
    return x.tril(-1 if unit else 0)


def triangular_solve_grad(grad: Tensor, a: Tensor, x: Tensor, upper: bool, left: bool, unit: bool) -> Tensor:
    g = torch.linalg_solve_triangular(a.mT.conj(), grad, upper=not upper, left=left, unitriangular=unit)
    out = -torch.matmul(g, x.mT.conj()) if left else -torch.matmul(x.mT.conj(), g)
    return triangular_part(out, upper, unit)


def plain_triangular_grad(grad: Tensor, a: Tensor, x: Tensor, upper: bool, transpose: bool, unit: bool) -> Tensor:
    if transpose:
        g = torch.linalg_solve_triangular(a.conj(), grad, upper=upper, left=True, unitriangular=unit)
        return triangular_part(-torch.matmul(x, g.mT), upper, unit)
    g = torch.linalg_solve_triangular(a.mT.conj(), grad, upper=not upper, left=True, unitriangular=unit)
    return triangular_part(-torch.matmul(g, x.mT.conj()), upper, unit)


def cholesky_grad(grad: Tensor, low: Tensor) -> Tensor:
    phi = torch.matmul(low.mT.conj(), grad).tril()
    phi = (phi + phi.tril(-1).mT.conj()) * 0.5
    half = torch.linalg_solve_triangular(low.mT.conj(), phi, upper=True)
    return torch.linalg_solve_triangular(low, half, upper=False, left=False)


def cholesky_solve_grad(grad: Tensor, factor: Tensor, x: Tensor, upper: bool) -> Tuple[Tensor, Tensor]:
    back = torch.cholesky_solve(grad, factor, upper)
    both = torch.matmul(back, x.mT.conj())
    return back, -by_factor(both + both.mT.conj(), factor, upper)


def cholesky_inverse_grad(grad: Tensor, factor: Tensor, inverse: Tensor, upper: bool) -> Tensor:
    both = torch.matmul(inverse, torch.matmul(grad + grad.mT.conj(), inverse))
    return -by_factor(both, factor, upper)


def by_factor(x: Tensor, factor: Tensor, upper: bool) -> Tensor:
    return torch.matmul(factor, x) if upper else torch.matmul(x, factor)


def eigh_grad(gl: Tensor, gv: Tensor, values: Tensor, vectors: Tensor) -> Tensor:
    vh = vectors.mT.conj()
    gaps = values.unsqueeze(-2) - values.unsqueeze(-1)
    inner = torch.matmul(vh, gv)
    inner = (inner - inner.mT.conj()) * 0.5 / gaps.masked_fill(gaps == 0, float("inf"))
    inner = inner + torch.diag_embed(gl).to(inner.dtype)
    return torch.matmul(vectors, torch.matmul(inner, vh))


def lu_solve_parts(lu: Tensor, pivots: Tensor, b: Tensor, left: bool, adjoint: bool) -> Tensor:
    p, low, up = torch.lu_unpack(lu, pivots)
    a = torch.matmul(p, torch.matmul(low, up))
    return torch.linalg_solve(a.mT.conj() if adjoint else a, b, left=left)


def row(x: Tensor) -> Tensor:
    assert x.dim() == 1
    return x


def linalg_vander_parts(x: Tensor, n: Optional[int]) -> Tensor:
    assert (n is None or n > 1) and x.dtype != torch.float16 and x.dtype != torch.bfloat16
    return vander_parts(x, n)


def vander_parts(x: Tensor, n: Optional[int]) -> Tensor:
    total = x.size(-1) if n is None else n
    powers = x.unsqueeze(-1).expand(x.size() + [total - 1]).cumprod(-1)
    return torch.cat([torch.ones_like(x).unsqueeze(-1), powers], -1)


def svd_grad(gu: Tensor, gs: Tensor, gvh: Tensor, u: Tensor, s: Tensor, vh: Tensor) -> Tensor:
    """For the thin decomposition."""
    k = s.size(-1)
    gu = gu.narrow(-1, 0, k)
    u = u.narrow(-1, 0, k)
    gvh = gvh.narrow(-2, 0, k)
    vh = vh.narrow(-2, 0, k)
    v = vh.mT.conj()
    gv = gvh.mT.conj()
    if not bool(gu.any()) and not bool(gvh.any()):
        return torch.matmul(u * gs.unsqueeze(-2), vh)
    squares = s * s
    gaps = squares.unsqueeze(-2) - squares.unsqueeze(-1)
    f = (1 / gaps.masked_fill(gaps == 0, float("inf")))
    ut = torch.matmul(u.mT.conj(), gu)
    vt = torch.matmul(v.mT.conj(), gv)
    turns = ut.diagonal(0, -2, -1)
    if u.is_complex():
        phase = torch.imag(turns + vt.diagonal(0, -2, -1))
        if not torch.allclose(phase, torch.zeros_like(phase), 0.01, 0.01):
            raise RuntimeError("svd_backward: The singular vectors in the complex case are specified up to multiplication by e^{i phi}. The specified loss function depends on this phase term, making it ill-defined.")
    inner = f * (ut - ut.mT.conj()) * s.unsqueeze(-2) + s.unsqueeze(-1) * (f * (vt - vt.mT.conj()))
    inner = inner + torch.diag_embed(gs).to(inner.dtype)
    if u.is_complex():
        turn = torch.imag(turns) / s
        inner = inner + torch.diag_embed(torch.complex(torch.zeros_like(turn), turn))
    out = torch.matmul(u, torch.matmul(inner, vh))
    if u.size(-2) > k:
        out = out + torch.matmul((gu - torch.matmul(u, ut)) / s.unsqueeze(-2), vh)
    if v.size(-2) > k:
        rest = (gv - torch.matmul(v, vt)) / s.unsqueeze(-2)
        out = out + torch.matmul(u, rest.mT.conj())
    return out


def qr_grad(gq: Tensor, gr: Tensor, q: Tensor, r: Tensor) -> Tensor:
    rows, cols = q.size(-2), r.size(-1)
    if rows < cols:
        # What is left of the columns is a square matrix; the rest is their product with the conjugated first factor.
        rest = gr.narrow(-1, rows, cols - rows)
        beside = torch.matmul(q, r.narrow(-1, rows, cols - rows))
        square = qr_square_grad(gq + torch.matmul(beside, rest.mT.conj()), gr.narrow(-1, 0, rows), q, r.narrow(-1, 0, rows))
        return torch.cat([square, torch.matmul(q, rest)], -1)
    return qr_square_grad(gq, gr, q, r)


def qr_square_grad(gq: Tensor, gr: Tensor, q: Tensor, r: Tensor) -> Tensor:
    m = torch.matmul(r, gr.mT.conj()) - torch.matmul(gq.mT.conj(), q)
    low = m.tril(-1)
    sym = low + low.mT.conj() + torch.diag_embed(torch.real(m.diagonal(0, -2, -1))).to(m.dtype)
    return torch.linalg_solve_triangular(r.mT.conj(), gq + torch.matmul(q, sym), upper=False, left=False)


def pinv_grad(grad: Tensor, a: Tensor, p: Tensor) -> Tensor:
    ph, gh = p.mT.conj(), grad.mT.conj()
    one = -torch.matmul(p, torch.matmul(gh, p)).mT.conj()
    m, n = a.size(-2), a.size(-1)
    eye_m = torch.eye(m, dtype=a.dtype)
    eye_n = torch.eye(n, dtype=a.dtype)
    first = torch.matmul(torch.matmul(eye_m - torch.matmul(a, p), gh), torch.matmul(p, ph))
    second = torch.matmul(torch.matmul(ph, p), torch.matmul(gh, eye_n - torch.matmul(p, a)))
    return one + first + second


def matrix_exp_grad(grad: Tensor, a: Tensor) -> Tensor:
    """The upper right block of the exponential of a matrix of blocks."""
    n = a.size(-1)
    ah = a.mT.conj()
    top = torch.cat([ah, grad], -1)
    bottom = torch.cat([torch.zeros_like(ah), ah], -1)
    whole = torch.linalg_matrix_exp(torch.cat([top, bottom], -2))
    return whole.narrow(-2, 0, n).narrow(-1, n, n)


def matrix(x: Tensor) -> Tensor:
    assert x.dim() == 2
    return x


def vecdot_parts(x: Tensor, y: Tensor, dim: int) -> Tensor:
    assert x.dtype == y.dtype
    return torch.vdot(x, y) if x.dim() == 1 and y.dim() == 1 else (x.conj() * y).sum(dim)


def power_parts(a: Tensor, n: int) -> Tensor:
    assert a.dim() >= 2 and a.size(-1) == a.size(-2)
    if n == 0:
        return a.clone().copy_(torch.eye(a.size(-1), dtype=a.dtype))
    if n == 1:
        return a.clone()
    base = torch.linalg_inv(a) if n < 0 else a
    k = -n if n < 0 else n
    out = base
    for _ in range(k - 1):
        out = torch.matmul(out, base)
    return out


def matrix_norm_parts(x: Tensor, ord: str, dim: List[int], keepdim: bool) -> Tensor:
    if ord == "nuc":
        assert len(dim) == 2
        d0 = dim[0] + x.dim() if dim[0] < 0 else dim[0]
        d1 = dim[1] + x.dim() if dim[1] < 0 else dim[1]
        out = torch.linalg_svd(x.movedim([d0, d1], [-2, -1]), False)[1].sum(-1, keepdim)
        return out.unsqueeze(-1).movedim([-2, -1], [d0, d1]) if keepdim else out
    return torch.linalg_vector_norm(x, 2, dim, keepdim)


def matrix_order_parts(x: Tensor, ord: number, dim: List[int], keepdim: bool) -> Tensor:
    assert len(dim) == 2
    return linalg_norm_parts(x, ord, dim, keepdim)


def linalg_norm_parts(x: Tensor, ord: Optional[number], dim: Optional[List[int]], keepdim: bool) -> Tensor:
    if ord is None:
        return torch.linalg_vector_norm(x, 2, dim, keepdim)
    p = float(ord)
    rank = x.dim() if dim is None else len(dim)
    if rank == 1:
        return torch.linalg_vector_norm(x, p, dim, keepdim)
    assert abs(p) == 1.0 or abs(p) == 2.0 or abs(p) == float("inf")
    dims = [-2, -1] if dim is None else dim
    d0 = dims[0] + x.dim() if dims[0] < 0 else dims[0]
    d1 = dims[1] + x.dim() if dims[1] < 0 else dims[1]
    assert d0 != d1
    if p > 0 and x.size(d0) * x.size(d1) == 0:
        return x.abs().sum([d0, d1], keepdim)
    if abs(p) == 2.0:
        values = torch.linalg_svd(x.movedim([d0, d1], [-2, -1]), False)[1]
        out = torch.amax(values, -1, keepdim) if p > 0 else torch.amin(values, -1, keepdim)
        return out.unsqueeze(-1).movedim([-2, -1], [d0, d1]) if keepdim else out
    # What is summed, and along which of the sums the extreme is.
    across, along = (d0, d1) if abs(p) == 1.0 else (d1, d0)
    sums = x.abs().sum([across], keepdim)
    if not keepdim and across < along:
        along -= 1
    return torch.amax(sums, along, keepdim) if p > 0 else torch.amin(sums, along, keepdim)


def det_grad(grad: Tensor, x: Tensor, result: Tensor) -> Tensor:
    """The gradient of a determinant: zero where that is zero."""
    inverse, info = torch.linalg_inv_ex(x)
    out = (grad * result.conj()).unsqueeze(-1).unsqueeze(-1) * inverse.mT.conj()
    return by_columns(out.masked_fill((result == 0).unsqueeze(-1).unsqueeze(-1), 0), x)


def by_columns(x: Tensor, like: Tensor) -> Tensor:
    """Matrices laid out by columns where others lie so."""
    if like.is_contiguous() or not like.mT.is_contiguous():
        return x
    return x.mT.contiguous().mT


def step_lengths(steps: Tensor, p: float) -> Tensor:
    """The lengths of the last dimension. The largest steps of distances do not share the gradient: each has all of it."""
    if p == 0.0:
        return (steps * 0).sum([-1])
    if p != float("inf"):
        return torch.norm(steps, p, [-1])
    size = steps.abs()
    return (size * (size == size.amax([-1], True))).sum([-1])


def cdist_grads(grad: Tensor, a: Tensor, b: Tensor, lengths: Tensor, p: float, mode: Optional[int]) -> Tuple[Tensor, Tensor]:
    """Of many rows by products, as the distances themselves are."""
    many = max(a.size(-2), b.size(-2)) > 25 if mode is None or mode == 0 else mode == 1
    if p == 2.0 and many:
        ratio = grad / lengths.masked_fill(lengths == 0, float("inf"))
        to_a = a * ratio.sum([-1], True) - torch.matmul(ratio, b)
        return to_a, b * ratio.sum([-2]).unsqueeze(-1) - torch.matmul(ratio.transpose(-2, -1), a)
    steps = a.unsqueeze(-2) - b.unsqueeze(-3)
    grad, lengths = grad.unsqueeze(-1), lengths.unsqueeze(-1)
    size = steps.abs()
    parts = steps.sign() * grad
    if p == 0.0:
        parts = torch.zeros_like(steps)
    elif p == float("inf"):
        parts = parts * (size == lengths)
    elif p != 1.0:
        lengths = lengths.masked_fill(lengths == 0, float("inf"))
        parts = (parts * (size / lengths).pow(p - 1)).masked_fill(size == 0, 0.0)
    return parts.sum([-2]), -parts.sum([-3])


def pdist_parts(x: Tensor, p: float) -> Tensor:
    n = x.size(0)
    pairs = torch.triu_indices(n, n, 1)
    return step_lengths(x.index_select(0, pairs[0]) - x.index_select(0, pairs[1]), p)


def cosine_parts(a: Tensor, b: Tensor, dim: int, eps: float) -> Tensor:
    a, b = torch.broadcast_tensors([a, b])
    na = torch.linalg_vector_norm(a, 2, [dim], True).clamp_min(eps)
    nb = torch.linalg_vector_norm(b, 2, [dim], True).clamp_min(eps)
    return ((a / na) * (b / nb)).sum([dim])
