# Functions that the derivatives of factors of matrices call.


def lower_and_upper(low: Tensor, up: Tensor, gl: Tensor, gu: Tensor, p: Optional[Tensor]) -> Tensor:
    """The gradient of a matrix through its factors: those of the square part, and what the rest adds to them."""
    rows, cols = low.size(-2), up.size(-1)
    k = min(rows, cols)
    l1, u1 = low.narrow(-2, 0, k), up.narrow(-1, 0, k)
    gl1, gu1 = gl.narrow(-2, 0, k), gu.narrow(-1, 0, k)
    below = torch.matmul(l1.mT.conj(), gl1)
    above = torch.matmul(gu1, u1.mT.conj())
    if cols > k:
        gu2 = gu.narrow(-1, k, cols - k)
        below = below - torch.matmul(gu2, up.narrow(-1, k, cols - k).mT.conj())
    if rows > k:
        gl2 = gl.narrow(-2, k, rows - k)
        above = above - torch.matmul(low.narrow(-2, k, rows - k).mT.conj(), gl2)
    inner = below.tril(-1) + above.triu()
    right = torch.linalg_solve_triangular(u1.mT.conj(), inner, upper=False, left=False)
    out = torch.linalg_solve_triangular(l1.mT.conj(), right, upper=True, unitriangular=True)
    if cols > k:
        more = torch.linalg_solve_triangular(l1.mT.conj(), gu.narrow(-1, k, cols - k), upper=True, unitriangular=True)
        out = torch.cat([out, more], -1)
    if rows > k:
        more = torch.linalg_solve_triangular(u1.mT.conj(), gl.narrow(-2, k, rows - k), upper=False, left=False)
        out = torch.cat([out, more], -2)
    return out if p is None else torch.matmul(p, out)


def lu_grad(gl: Tensor, gu: Tensor, p: Tensor, low: Tensor, up: Tensor, pivot: bool) -> Tensor:
    return lower_and_upper(low, up, gl, gu, p if pivot else None)


def packed_lu_grad(grad: Tensor, lu: Tensor, pivots: Tensor, pivot: bool) -> Tensor:
    p, low, up = torch.lu_unpack(lu, pivots)
    k = min(lu.size(-2), lu.size(-1))
    return lower_and_upper(low, up, grad.narrow(-1, 0, k), grad.narrow(-2, 0, k), p if pivot else None)


def lu_unpack_grad(gl: Tensor, gu: Tensor, sizes: List[int]) -> Tensor:
    rows, cols = sizes[len(sizes) - 2], sizes[len(sizes) - 1]
    k = min(rows, cols)
    low = torch.constant_pad_nd(gl.tril(-1), [0, cols - k], 0)
    return low + torch.constant_pad_nd(gu.triu(), [0, 0, 0, rows - k], 0)


def eig_grad(gl: Tensor, gv: Tensor, values: Tensor, vectors: Tensor, a: Tensor) -> Tensor:
    """Vectors have length one, and their phases may be any."""
    vh = vectors.mH
    inner = torch.matmul(vh, gv)
    own = inner.diagonal(0, -2, -1)
    phase = torch.imag(own)
    if not torch.allclose(phase, torch.zeros_like(phase), 0.01, 0.01):
        raise RuntimeError("linalg_eig_backward: The eigenvectors in the complex case are specified up to multiplication by e^{i phi}. The specified loss function depends on this quantity, so it is ill-defined.")
    inner = inner - torch.matmul(vh, vectors) * torch.real(own).unsqueeze(-2)
    gaps = (values.unsqueeze(-2) - values.unsqueeze(-1)).conj()
    same = torch.eye(values.size(-1), dtype=torch.bool)
    inner = torch.where(same, torch.diag_embed(gl).to(inner.dtype), inner / gaps.masked_fill(same, 1))
    return torch.linalg_solve(vh, torch.matmul(inner, vh))


def reflected_by(a: Tensor, tau: Tensor, x: Tensor, left: bool, transposed: bool) -> Tensor:
    """The product of reflections with a matrix. Their vectors are the columns of `a` below the diagonal, which is one."""
    rows = a.size(-2)
    low = a.tril(-1) + torch.eye(rows, a.size(-1), dtype=a.dtype)
    out = x if left else x.mT.conj()
    count = tau.size(-1)
    backwards = transposed != left
    for k in range(count):
        i = count - 1 - k if backwards else k
        v = low.narrow(-1, i, 1)
        t = tau.narrow(-1, i, 1).unsqueeze(-1)
        scale = t if transposed != left else t.conj()
        out = out - scale * torch.matmul(v, torch.matmul(v.mT.conj(), out))
    return out if left else out.mT.conj()


def root_grad(grad: Tensor, root: Tensor) -> Tensor:
    """The root stands on both sides of the equation that its change solves."""
    values, vectors = torch.linalg_eigh(root)
    vh = vectors.mT.conj()
    inner = torch.matmul(torch.matmul(vh, (grad + grad.mT.conj()) * 0.5), vectors)
    sums = values.unsqueeze(-2) + values.unsqueeze(-1)
    return torch.matmul(torch.matmul(vectors, inner / sums), vh)


def polar_grad(gu: Tensor, gh: Tensor, a: Tensor) -> Tensor:
    w, s, vh = torch.linalg_svd(a, False)
    v, wh = vh.mT.conj(), w.mT.conj()
    sums = s.unsqueeze(-2) + s.unsqueeze(-1)
    turn = torch.matmul(wh, torch.matmul(gu, v))
    out = torch.matmul(torch.matmul(w, (turn - turn.mT.conj()) / sums), vh)
    beside = torch.matmul(gu - torch.matmul(w, torch.matmul(wh, gu)), v) / s.unsqueeze(-2)
    out = out + torch.matmul(beside, vh)
    stretch = torch.matmul(v, torch.matmul(torch.matmul(vh, torch.matmul(gh, v)) / sums, vh))
    return out + torch.matmul(a, stretch + stretch.mT.conj())


def lstsq_grad(gx: Tensor, gr: Tensor, a: Tensor, b: Tensor, x: Tensor, residuals: Tensor) -> Tuple[Tensor, Tensor]:
    p = torch.linalg_pinv(a)
    gb = torch.matmul(p.mT.conj(), gx)
    ga = pinv_grad(torch.matmul(gx, b.mT.conj()), a, p)
    if residuals.numel() > 0:
        error = 2 * (torch.matmul(a, x) - b) * gr.unsqueeze(-2)
        ga, gb = ga + torch.matmul(error, x.mT.conj()), gb - error
    return ga, gb


def cond_parts(x: Tensor, p: Optional[number]) -> Tensor:
    order = 2.0 if p is None else float(p)
    if order == 2.0 or order == -2.0:
        s = torch.linalg_svdvals(x)
        first, last = s.narrow(-1, 0, 1), s.narrow(-1, -1, 1)
        return (first / last if order > 0 else last / first).squeeze(-1)
    inverse = torch.linalg_inv_ex(x)[0]
    out = torch.linalg_matrix_norm(x, order) * torch.linalg_matrix_norm(inverse, order)
    return torch.nan_to_num(out, float("inf"), float("inf"), -float("inf"))


def named_cond_parts(x: Tensor, p: str) -> Tensor:
    inverse = torch.linalg_inv_ex(x)[0]
    out = torch.linalg_matrix_norm(x, p) * torch.linalg_matrix_norm(inverse, p)
    return out if p == "nuc" else torch.nan_to_num(out, float("inf"), float("inf"), -float("inf"))


def tensorsolve_parts(a: Tensor, b: Tensor, dims: Optional[List[int]]) -> Tensor:
    if dims is not None:
        last: List[int] = [d + a.dim() if d < 0 else d for d in dims]
        axes: List[int] = []
        for d in range(a.dim()):
            if d not in last:
                axes.append(d)
        a = a.permute(axes + last)
    sizes = a.size()[b.dim() :]
    n = b.numel()
    return torch.linalg_solve(a.reshape([n, n]), b.reshape([n])).reshape(sizes)


def slogdet_grad(gs: Tensor, gl: Tensor, sign: Tensor, x: Tensor) -> Tensor:
    scale = gl
    if x.is_complex():
        scale = torch.complex(gl, -torch.imag(gs.conj() * sign))
    return by_columns(scale.unsqueeze(-1).unsqueeze(-1) * torch.linalg_inv(x).mT.conj(), x)


def logdet_parts(x: Tensor) -> Tensor:
    sign, size = torch.linalg_slogdet(x)
    if x.is_complex():
        return sign.log() + size
    return torch.where(sign == -1.0, float("nan"), size)


def svd_parts(x: Tensor, some: bool, vectors: bool) -> Tuple[Tensor, Tensor, Tensor]:
    if not vectors:
        u = torch.zeros(x.size()[:-1] + [x.size(-2)], dtype=x.dtype)
        v = torch.zeros(x.size()[:-2] + [x.size(-1), x.size(-1)], dtype=x.dtype)
        return u, torch.linalg_svdvals(x), v
    u, s, vh = torch.linalg_svd(x, not some)
    return u, s, vh.mH
