# Functions that the derivatives of sampling along grids call.


def unnormalized(x: Tensor, size: int, align: bool) -> Tensor:
    return (x + 1) / 2 * (size - 1) if align else ((x + 1) * size - 1) / 2


def reflected(x: Tensor, low: float, high: float) -> Tensor:
    if low == high:
        return torch.zeros_like(x)
    span = (high - low) / 2
    y = torch.abs(x - low / 2)
    flips = torch.floor(y.detach() / span)
    extra = y - flips * span
    even = torch.remainder(flips, 2) == 0
    return torch.where(even, extra + low / 2, span - extra + low / 2)


def bounded(x: Tensor, size: int, padding: int, align: bool) -> Tensor:
    if padding == 1:
        return x.clamp(0, size - 1)
    if padding == 2:
        y = reflected(x, 0.0, 2.0 * (size - 1)) if align else reflected(x, -1.0, 2.0 * size - 1)
        return y.clamp(0, size - 1)
    return x


def sample(flat: Tensor, places: List[Tensor], sizes: List[int]) -> Tensor:
    """The numbers of an image at whole places, zeros outside."""
    inside = torch.ones_like(places[0], dtype=torch.bool)
    index = torch.zeros_like(places[0], dtype=torch.long)
    for i in range(len(sizes)):
        inside = inside & (places[i] >= 0) & (places[i] <= sizes[i] - 1)
        index = index * sizes[i] + places[i].clamp(0, sizes[i] - 1).to(torch.long)
    n, c = flat.size(0), flat.size(1)
    wide = index.reshape([n, 1, -1]).expand([n, c, -1])
    return flat.gather(2, wide) * inside.reshape([n, 1, -1])


def cubic_weights(t: Tensor) -> List[Tensor]:
    a = -0.75
    out: List[Tensor] = []
    for i in range(4):
        x = torch.abs(t + 1.0 - i)
        near = ((a + 2) * x - (a + 3)) * x * x + 1
        far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
        out.append(near if i == 1 or i == 2 else far)
    return out


def grid_parts(x: Tensor, grid: Tensor, mode: int, padding: int, align: bool) -> Tensor:
    k = x.dim() - 2
    sizes = x.size()[2:]
    flat = x.flatten(2)
    raw: List[Tensor] = []
    for i in range(k):
        raw.append(unnormalized(grid.select(-1, k - 1 - i), sizes[i], align))
    out = torch.zeros([x.size(0), x.size(1), grid.numel() // (k * max(x.size(0), 1))], dtype=x.dtype)
    if mode == 2:
        lows: List[Tensor] = []
        weights: List[List[Tensor]] = []
        for i in range(k):
            low = torch.floor(raw[i].detach())
            lows.append(low)
            weights.append(cubic_weights(raw[i] - low))
        for neighbour in range(64 if k == 3 else 16):
            places: List[Tensor] = []
            factor = torch.ones_like(raw[0])
            for i in range(k):
                step = (neighbour // [1, 4, 16][i]) % 4
                places.append(bounded(lows[i] + step - 1, sizes[i], padding, align))
                factor = factor * weights[i][step]
            out = out + sample(flat, places, sizes) * factor.reshape([x.size(0), 1, -1])
    else:
        at: List[Tensor] = []
        for i in range(k):
            at.append(bounded(raw[i], sizes[i], padding, align))
        if mode == 1:
            near: List[Tensor] = []
            for p in at:
                near.append(torch.round(p.detach()))
            out = sample(flat, near, sizes) + (grid * 0).sum()
        else:
            for corner in range(8 if k == 3 else 4):
                places: List[Tensor] = []
                factor = torch.ones_like(at[0])
                for i in range(k):
                    low = torch.floor(at[i].detach())
                    if (corner // [1, 2, 4][i]) % 2 == 1:
                        places.append(low + 1)
                        factor = factor * (at[i] - low)
                    else:
                        places.append(low)
                        factor = factor * (low + 1 - at[i])
                out = out + sample(flat, places, sizes) * factor.reshape([x.size(0), 1, -1])
    return out.reshape([x.size(0), x.size(1)] + grid.size()[1:-1])


def axis(n: int, align: bool, like: Tensor) -> Tensor:
    if n <= 1:
        return torch.zeros([n], dtype=like.dtype)
    line = torch.linspace(-1, 1, n, dtype=like.dtype)
    return line if align else line * (n - 1) / n


def affine_parts(theta: Tensor, size: List[int], align: bool) -> Tensor:
    sizes = size[2:]
    k = len(sizes)
    columns: List[Tensor] = []
    for i in range(k):
        shape = [1] * k
        shape[k - 1 - i] = sizes[k - 1 - i]
        columns.append(axis(sizes[k - 1 - i], align, theta).reshape(shape).expand(sizes))
    columns.append(torch.ones(sizes, dtype=theta.dtype))
    base = torch.stack(columns, -1).reshape([1, -1, k + 1]).expand([size[0], -1, k + 1])
    return torch.bmm(base, theta.transpose(1, 2)).reshape([size[0]] + sizes + [k])
