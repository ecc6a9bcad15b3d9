# Functions that the derivatives of transforms of signals, and of what is measured along dimensions, call.


def hermitian_spectra(x: Tensor, s: Optional[List[int]], dim: Optional[List[int]], norm: Optional[str]) -> Tensor:
    dims = fft_dims(x.dim(), s, dim)
    y, last = half_spectrum(x, s, dims)
    by = scaling(norm, True)
    if len(dims) > 1:
        y = torch._fft_c2c(y, dims[:-1], by, True)
    return torch._fft_c2r(y.conj(), dims[-1:], by, last)


def half_spectra(x: Tensor, s: Optional[List[int]], dim: Optional[List[int]], norm: Optional[str]) -> Tensor:
    dims = fft_dims(x.dim(), s, dim)
    if s is not None:
        for i in range(len(dims)):
            x = resized(x, s[i] if s[i] != -1 else None, dims[i])
    by = scaling(norm, False)
    out = torch._fft_r2c(x, dims[-1:], by, True)
    return torch._fft_c2c(out.conj_physical(), dims[:-1], by, False) if len(dims) > 1 else out.conj()


def padded_signal(x: Tensor, n_fft: int, center: bool, mode: str) -> Tensor:
    if not center:
        return x
    rows = x.reshape([1] * (3 - x.dim()) + x.size())
    out = torch.pad(rows, [n_fft // 2, n_fft // 2], mode)
    return out.reshape(out.size()[3 - x.dim() :])


def whole_window(n_fft: int, length: Optional[int], window: Optional[Tensor], like: Tensor) -> Tensor:
    """A window as long as a transform, zeros beside it."""
    n = n_fft if length is None else length
    shape = torch.ones([n], dtype=like.dtype) if window is None else window
    left = (n_fft - n) // 2
    return shape if n == n_fft else torch.constant_pad_nd(shape, [left, n_fft - n - left], 0)


def spectrogram(x: Tensor, n_fft: int, hop: Optional[int], length: Optional[int], window: Optional[Tensor], normalized: bool, onesided: Optional[bool], return_complex: Optional[bool]) -> Tensor:
    step = n_fft // 4 if hop is None else hop
    single = x.dim() == 1
    frames = (x.unsqueeze(0) if single else x).unfold(-1, n_fft, step)
    if window is not None or length is not None:
        frames = frames * whole_window(n_fft, length, window, x)
    by = 1 if normalized else 0
    if frames.is_complex():
        out = torch._fft_c2c(frames, [2], by, True)
    else:
        out = torch._fft_r2c(frames, [2], by, True if onesided is None else onesided)
    out = out.transpose_(1, 2)
    if single:
        out = out.squeeze_(0)
    keep = frames.is_complex() if return_complex is None else return_complex
    return out if keep else torch.view_as_real(out)


def overlapped(frames: Tensor, step: int) -> Tensor:
    """The sum of frames that overlap."""
    length = (frames.size(1) - 1) * step + frames.size(2)
    places = torch.arange(length).unfold(0, frames.size(2), step).reshape(-1)
    return torch.zeros([frames.size(0), length], dtype=frames.dtype).index_add(1, places, frames.reshape([frames.size(0), -1]))


def signal_of(x: Tensor, n_fft: int, hop: Optional[int], win_length: Optional[int], window: Optional[Tensor], center: bool, normalized: bool, onesided: Optional[bool], length: Optional[int], return_complex: bool) -> Tensor:
    step = n_fft // 4 if hop is None else hop
    single = x.dim() == 2
    columns = (x.unsqueeze(0) if single else x).transpose(1, 2)
    by = 1 if normalized else 2
    shape = whole_window(n_fft, win_length, window, torch.real(x))
    if return_complex:
        frames = torch._fft_c2c(columns, [2], by, False)
    else:
        whole = columns.size(2) == n_fft if onesided is None else not onesided
        half = n_fft // 2 + 1 if whole else columns.size(2)
        frames = torch._fft_c2r(columns.narrow(2, 0, half), [2], by, n_fft)
    sums = overlapped(frames * shape, step)
    weight = overlapped((shape * shape).expand([1, frames.size(1), n_fft]), step)
    length_of_all = sums.size(1)
    start = n_fft // 2 if center else 0
    end = length_of_all - start
    if length is not None:
        end = start + length
    until = min(end, length_of_all)
    out = sums.narrow(1, start, until - start) / weight.narrow(1, start, until - start)
    if end > until:
        out = torch.constant_pad_nd(out, [0, end - until], 0)
    return out.squeeze(0) if single else out


def one_dim(dim: Optional[int], sizes: List[int]) -> List[int]:
    if dim is None:
        return [d for d in range(len(sizes))]
    return [dim]


def slope_between(x: Tensor, d: int, h: float, edges: int) -> Tensor:
    """The slope along a dimension whose places are evenly spaced."""
    n = x.size(d)
    inner = (x.narrow(d, 2, n - 2) - x.narrow(d, 0, n - 2)) / (2.0 * h)
    if edges == 1:
        first = (x.narrow(d, 1, 1) - x.narrow(d, 0, 1)) / h
        last = (x.narrow(d, n - 1, 1) - x.narrow(d, n - 2, 1)) / h
    else:
        first = (x.narrow(d, 1, 1) * 4 - x.narrow(d, 0, 1) * 3 - x.narrow(d, 2, 1)) / (2.0 * h)
        last = (x.narrow(d, n - 1, 1) * 3 - x.narrow(d, n - 2, 1) * 4 + x.narrow(d, n - 3, 1)) / (2.0 * h)
    return torch.cat([first, inner, last], d)


def slope_at(x: Tensor, d: int, places: Tensor, edges: int) -> Tensor:
    """The slope along a dimension whose places are given: of the parabola through neighbours."""
    n = x.size(d)
    shape = [1] * x.dim()
    shape[d] = -1
    steps = (places.narrow(0, 1, n - 1) - places.narrow(0, 0, n - 1)).reshape(shape)
    before, after = steps.narrow(d, 0, n - 2), steps.narrow(d, 1, n - 2)
    left, right = -after / (before * (before + after)), before / (after * (before + after))
    middle = (after - before) / (before * after)
    inner = left * x.narrow(d, 0, n - 2) + middle * x.narrow(d, 1, n - 2) + right * x.narrow(d, 2, n - 2)
    if edges == 1:
        first = (x.narrow(d, 1, 1) - x.narrow(d, 0, 1)) / steps.narrow(d, 0, 1)
        last = (x.narrow(d, n - 1, 1) - x.narrow(d, n - 2, 1)) / steps.narrow(d, n - 2, 1)
    else:
        b, a = steps.narrow(d, 0, 1), steps.narrow(d, 1, 1)
        first = -(2 * b + a) / (b * (b + a)) * x.narrow(d, 0, 1) + (b + a) / (b * a) * x.narrow(d, 1, 1) - b / (a * (b + a)) * x.narrow(d, 2, 1)
        b, a = steps.narrow(d, n - 3, 1), steps.narrow(d, n - 2, 1)
        last = a / (b * (b + a)) * x.narrow(d, n - 3, 1) - (b + a) / (b * a) * x.narrow(d, n - 2, 1) + (2 * a + b) / (a * (b + a)) * x.narrow(d, n - 1, 1)
    return torch.cat([first, inner, last], d)


def gradients_along(x: Tensor, spacing: number, dims: List[int], edges: int) -> List[Tensor]:
    return gradients_by_steps(x, [spacing] * len(dims), dims, edges)


def gradients_by_steps(x: Tensor, spacing: List[number], dims: List[int], edges: int) -> List[Tensor]:
    assert edges == 1 or edges == 2
    out: List[Tensor] = []
    for i in range(len(dims)):
        d = dims[i] + x.dim() if dims[i] < 0 else dims[i]
        out.append(slope_between(x, d, float(spacing[i]), edges))
    return out


def gradients_by_places(x: Tensor, places: List[Tensor], dims: List[int], edges: int) -> List[Tensor]:
    assert edges == 1 or edges == 2
    out: List[Tensor] = []
    for i in range(len(dims)):
        d = dims[i] + x.dim() if dims[i] < 0 else dims[i]
        out.append(slope_at(x, d, places[i], edges))
    return out


def corrcoef_parts(x: Tensor) -> Tensor:
    c = torch.cov(x)
    if c.dim() == 0:
        return c / c
    size = torch.sqrt(torch.real(c.diagonal()) if c.is_complex() else c.diagonal())
    out = c / size.unsqueeze(-1) / size
    return out if out.is_complex() else out.clamp(-1, 1)


def segment_grad(grad: Tensor, result: Tensor, data: Tensor, reduce: str, lengths: Optional[Tensor], offsets: Optional[Tensor], axis: int, initial: Optional[number]) -> Tensor:
    """Numbers of a segment share its gradient."""
    if lengths is not None:
        sizes = lengths.reshape(-1)
    else:
        assert offsets is not None
        sizes = offsets.diff().reshape(-1)
    of = torch.repeat_interleave(torch.arange(sizes.numel()), sizes)
    every = data.flatten(0, axis)
    # Numbers after the last segment have no part in it.
    x = every.narrow(0, 0, of.size(0))
    whole = result.flatten(0, axis)
    spread = grad.flatten(0, axis).index_select(0, of)
    if reduce == "mean":
        shape = [-1] + [1] * (x.dim() - 1)
        spread = spread / sizes.index_select(0, of).reshape(shape)
    elif reduce == "max" or reduce == "min":
        # Each of several extremes has all of it.
        spread = spread * (x == whole.index_select(0, of))
    elif reduce == "prod":
        zero = x == 0
        zeros = torch.zeros_like(whole).index_add(0, of, zero.to(x.dtype)).index_select(0, of) - zero.to(x.dtype)
        others = torch.segment_reduce(x.masked_fill(zero, 1), "prod", lengths=sizes, initial=initial).index_select(0, of)
        spread = spread * (others / x.masked_fill(zero, 1)).masked_fill(zeros > 0, 0)
    rest = torch.zeros_like(every.narrow(0, of.size(0), every.size(0) - of.size(0)))
    return torch.cat([spread, rest]).reshape(data.size())
