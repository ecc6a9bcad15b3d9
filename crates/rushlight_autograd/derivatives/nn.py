# Functions that the derivatives of neural networks call.


def convolution_grad(grad: Tensor, x: Tensor, weight: Tensor, stride: List[int], padding: List[int], dilation: List[int], transposed: bool, output_padding: List[int], groups: int, needs: List[bool]) -> Tuple[Tensor, Tensor, Tensor]:
    k = x.dim() - 2
    gx, gw, gb = grad, grad, grad
    last = channels_last(x) or channels_last(weight)
    if needs[0]:
        if transposed:
            gx = torch.convolution(grad, weight.conj(), None, stride, padding, dilation, False, [0] * k, groups)
            for d in range(k):
                if gx.size(2 + d) != x.size(2 + d):
                    gx = gx.narrow(2 + d, 0, x.size(2 + d))
        else:
            extra: List[int] = []
            for d in range(k):
                reach = dilation[d] * (weight.size(2 + d) - 1) + 1
                extra.append(x.size(2 + d) - ((grad.size(2 + d) - 1) * stride[d] - 2 * padding[d] + reach))
            gx = torch.convolution(grad, weight.conj(), None, stride, padding, dilation, True, extra, groups)
        gx = laid(gx, last)
    if needs[1]:
        if transposed:
            gw = convolution_weight(x.conj(), grad, weight.size(), stride, padding, dilation, groups)
        else:
            gw = convolution_weight(grad, x.conj(), weight.size(), stride, padding, dilation, groups)
        gw = laid(gw, last)
    if needs[2]:
        gb = grad.sum([0] + [d + 2 for d in range(k)])
    return gx, gw, gb


def channels_last(x: Tensor) -> bool:
    """Whether the channels of images lie side by side, by strides alone."""
    if x.dim() != 4 and x.dim() != 5:
        return False
    least = 0
    for d in [1] + [x.dim() - 1 - i for i in range(x.dim() - 2)] + [0]:
        if x.size(d) == 0 or x.stride(d) < least or d == 0 and least == x.stride(1):
            return False
        least = x.stride(d) * max(x.size(d), 1)
    return x.stride(1) != 0


def laid(x: Tensor, last: bool) -> Tensor:
    if not last:
        return x.contiguous()
    return x.contiguous(memory_format=torch.channels_last if x.dim() == 4 else torch.channels_last_3d)


def convolution_weight(grad: Tensor, x: Tensor, sizes: List[int], stride: List[int], padding: List[int], dilation: List[int], groups: int) -> Tensor:
    """The gradient of the weight: a product with the columns of the input."""
    k = x.dim() - 2
    if x.numel() == 0 or grad.numel() == 0:
        return torch.zeros(sizes, dtype=grad.dtype)
    if groups == x.size(1) and groups == grad.size(1) and groups > 1:
        return depthwise_weight(grad, x, sizes, stride, padding, dilation)
    if k <= 2:
        if k == 1:
            x, grad = x.unsqueeze(2), grad.unsqueeze(2)
            stride, padding, dilation = [1] + stride, [0] + padding, [1] + dilation
        height = sizes[2] if k == 2 else 1
        width = sizes[len(sizes) - 1]
        n, places = x.size(0), grad.size(2) * grad.size(3)
        rows = grad.reshape([n, groups, grad.size(1) // groups, places])
        # 16-bit floats are summed at once.
        if n > 1 and places >= 256 and rows.size(2) <= places and grad.dtype != torch.float16 and grad.dtype != torch.bfloat16:
            return weight_by_images(rows, x, sizes, [height, width], stride, padding, dilation, [grad.size(2), grad.size(3)])
        columns = columns_of(x, [height, width], stride, padding, dilation, [grad.size(2), grad.size(3)], groups)
        if groups == 1:
            wide = rows.squeeze(1).transpose(0, 1).reshape([-1, n * places])
            tall = columns.squeeze(1).transpose(0, 1).reshape([-1, n * places])
            return torch.mm(wide, tall.t()).reshape(sizes)
        wide = rows.permute([1, 2, 0, 3]).reshape([groups, -1, n * places])
        tall = columns.permute([1, 2, 0, 3]).reshape([groups, -1, n * places])
        return torch.bmm(wide, tall.transpose(1, 2)).reshape(sizes)
    n, c = x.size(0), x.size(1) // groups
    image = x.reshape([n, groups, c] + x.size()[2:]).transpose(0, 2).reshape([c, groups * n] + x.size()[2:])
    out = torch.convolution(image, grad.transpose(0, 1).contiguous(), None, dilation, padding, stride, False, [0] * k, groups)
    out = out.transpose(0, 1)
    for d in range(k):
        out = out.narrow(2 + d, 0, sizes[2 + d])
    return out


def columns_of(x: Tensor, window: List[int], stride: List[int], padding: List[int], dilation: List[int], size: List[int], groups: int) -> Tensor:
    """The columns of images, by group, that results of this size come of."""
    n, places = x.size(0), size[0] * size[1]
    if window == [1, 1] and stride == [1, 1] and padding == [0, 0]:
        return x.reshape([n, groups, x.size(1) // groups, places])
    columns = torch.im2col(x, window, dilation, padding, stride)
    if columns.size(2) != places:
        # Padding of results leaves columns that are nobody's.
        grid: List[int] = []
        for d in range(2):
            grid.append((x.size(2 + d) + 2 * padding[d] - dilation[d] * (window[d] - 1) - 1) // stride[d] + 1)
        columns = columns.reshape([n, columns.size(1)] + grid)
        columns = columns.narrow(2, 0, size[0]).narrow(3, 0, size[1])
    return columns.reshape([n, groups, columns.size(1) // groups, places])


def weight_by_images(rows: Tensor, x: Tensor, sizes: List[int], window: List[int], stride: List[int], padding: List[int], dilation: List[int], size: List[int]) -> Tensor:
    """The same for large images: one after the other, so that their columns stay near."""
    groups = rows.size(1)
    out = torch.zeros([groups, rows.size(2), x.size(1) // groups * window[0] * window[1]], dtype=rows.dtype)
    for i in range(x.size(0)):
        columns = columns_of(x.narrow(0, i, 1), window, stride, padding, dilation, size, groups)
        out = torch.baddbmm(out, rows[i], columns[0].transpose(1, 2))
    return out.reshape(sizes)


def depthwise_weight(grad: Tensor, x: Tensor, sizes: List[int], stride: List[int], padding: List[int], dilation: List[int]) -> Tensor:
    """Where every channel has a kernel of its own: a convolution of each plane with its gradient, steps and gaps exchanged."""
    n, c, k = x.size(0), x.size(1), x.dim() - 2
    image = x.transpose(0, 1).reshape([1, c * n] + x.size()[2:])
    planes = grad.transpose(0, 1).reshape([c * n, 1] + grad.size()[2:])
    out = torch.convolution(image, planes, None, dilation, padding, stride, False, [0] * k, c * n)
    for d in range(k):
        out = out.narrow(2 + d, 0, sizes[2 + d])
    return out.reshape([c, n] + sizes[2:]).sum([1]).reshape(sizes)


def wide(values: List[int], k: int) -> List[int]:
    assert len(values) == k or len(values) == 1
    return values if len(values) == k else [values[0]] * k


def conv_parts(x: Tensor, weight: Tensor, bias: Optional[Tensor], stride: List[int], padding: List[int], dilation: List[int], groups: int, k: int) -> Tensor:
    if x.is_complex() and weight.is_complex():
        a, b = parts_of(x)
        u, v = parts_of(weight)
        p, q = bias_parts(bias)
        first = conv_plain(a, u, p, stride, padding, dilation, groups, k)
        second = conv_plain(b, v, None, stride, padding, dilation, groups, k)
        return from_three(first, second, conv_plain(a + b, u + v, q, stride, padding, dilation, groups, k))
    return conv_plain(x, weight, bias, stride, padding, dilation, groups, k)


def parts_of(x: Tensor) -> Tuple[Tensor, Tensor]:
    return torch.real(x), torch.imag(x)


def bias_parts(bias: Optional[Tensor]) -> Tuple[Optional[Tensor], Optional[Tensor]]:
    """The real part, and the sum of both."""
    if bias is None:
        return None, None
    return torch.real(bias), torch.real(bias) + torch.imag(bias)


def from_three(first: Tensor, second: Tensor, whole: Tensor) -> Tensor:
    """A product of complex numbers from those of the real parts, of the imaginary ones, and of the sums of both."""
    return first - second + (whole - first - second) * 1j


def conv_plain(x: Tensor, weight: Tensor, bias: Optional[Tensor], stride: List[int], padding: List[int], dilation: List[int], groups: int, k: int) -> Tensor:
    if x.dim() == k + 1:
        one = x.unsqueeze(0)
        return torch.convolution(one, weight, bias, wide(stride, k), wide(padding, k), wide(dilation, k), False, [0] * k, groups).squeeze(0)
    return torch.convolution(x, weight, bias, wide(stride, k), wide(padding, k), wide(dilation, k), False, [0] * k, groups)


def activated(x: Tensor, activation: Optional[str], numbers: List[Optional[number]], algorithm: Optional[str]) -> Tensor:
    name = "none" if activation is None else activation
    if name == "relu":
        return torch.relu(x)
    if name == "hardtanh":
        low, high = numbers[0], numbers[1]
        assert low is not None and high is not None
        return torch.hardtanh(x, low, high)
    if name == "leaky_relu":
        slope = numbers[0]
        assert slope is not None
        return torch.leaky_relu(x, slope)
    if name == "swish":
        return torch.silu(x)
    if name == "hardswish":
        return torch.hardswish(x)
    if name == "hardsigmoid":
        return torch.hardsigmoid(x)
    if name == "sigmoid":
        return torch.sigmoid(x)
    if name == "tanh":
        return torch.tanh(x)
    if name == "gelu":
        return torch.gelu(x, approximate="none" if algorithm is None else algorithm)
    return x


def conv_and(x: Tensor, weight: Tensor, bias: Optional[Tensor], padding: List[int], stride: List[int], dilation: List[int], groups: int, name: str, numbers: List[Optional[number]], algorithm: Optional[str]) -> Tensor:
    return activated(conv_parts(x, weight, bias, stride, padding, dilation, groups, weight.dim() - 2), name, numbers, algorithm)


def conv_sum_and(x: Tensor, other: Tensor, weight: Tensor, bias: Optional[Tensor], padding: List[int], stride: List[int], dilation: List[int], groups: int, name: Optional[str], numbers: List[Optional[number]], algorithm: Optional[str]) -> Tensor:
    return activated(conv_parts(x, weight, bias, stride, padding, dilation, groups, weight.dim() - 2) + other, name, numbers, algorithm)


def conv_transpose_parts(x: Tensor, weight: Tensor, bias: Optional[Tensor], stride: List[int], padding: List[int], output_padding: List[int], dilation: List[int], groups: int, k: int) -> Tensor:
    if x.is_complex() and weight.is_complex():
        a, b = parts_of(x)
        u, v = parts_of(weight)
        p, q = bias_parts(bias)
        first = conv_transpose_plain(a, u, p, stride, padding, output_padding, dilation, groups, k)
        second = conv_transpose_plain(b, v, None, stride, padding, output_padding, dilation, groups, k)
        return from_three(first, second, conv_transpose_plain(a + b, u + v, q, stride, padding, output_padding, dilation, groups, k))
    return conv_transpose_plain(x, weight, bias, stride, padding, output_padding, dilation, groups, k)


def conv_transpose_plain(x: Tensor, weight: Tensor, bias: Optional[Tensor], stride: List[int], padding: List[int], output_padding: List[int], dilation: List[int], groups: int, k: int) -> Tensor:
    if x.dim() == k + 1:
        one = x.unsqueeze(0)
        return torch.convolution(one, weight, bias, wide(stride, k), wide(padding, k), wide(dilation, k), True, wide(output_padding, k), groups).squeeze(0)
    return torch.convolution(x, weight, bias, wide(stride, k), wide(padding, k), wide(dilation, k), True, wide(output_padding, k), groups)


def conv_string_parts(x: Tensor, weight: Tensor, bias: Optional[Tensor], stride: List[int], padding: str, dilation: List[int], groups: int, k: int) -> Tensor:
    if padding == "valid":
        return conv_parts(x, weight, bias, stride, [0] * k, dilation, groups, k)
    for s in stride:
        assert s == 1
    steps = wide(dilation, k)
    low: List[int] = []
    extra: List[int] = []
    uneven = False
    for d in range(k):
        total = steps[d] * (weight.size(2 + d) - 1)
        low.append(total // 2)
        extra = [0, total - 2 * (total // 2)] + extra
        uneven = uneven or total % 2 == 1
    if uneven:
        x = torch.constant_pad_nd(x, extra, 0)
    return conv_parts(x, weight, bias, stride, low, dilation, groups, k)


def places_back(grad: Tensor, index: Tensor, sizes: List[int], last: int) -> Tensor:
    """Gradients brought to the numbered places of the last dimensions."""
    outer = sizes[: len(sizes) - last]
    flat = torch.zeros(outer + [count(sizes[len(sizes) - last :], None)], dtype=grad.dtype)
    return flat.scatter_add(-1, index.flatten(-last), grad.flatten(-last)).reshape(sizes)


def places_of(grad: Tensor, index: Tensor, last: int) -> Tensor:
    return grad.flatten(-last).gather(-1, index.flatten(-last)).reshape(index.size())


def spread(grad: Tensor, maps: List[Tensor]) -> Tensor:
    """Multiplies the last dimensions by a matrix each: the way back through a map that is linear in every dimension."""
    k = len(maps)
    for i in range(k):
        d = grad.dim() - k + i
        if d == grad.dim() - 1:
            grad = torch.matmul(grad, maps[i].to(grad.dtype).t())
        else:
            grad = torch.matmul(grad.transpose(d, -1), maps[i].to(grad.dtype).t()).transpose(d, -1)
    return grad


def pick(values: List[int], i: int) -> int:
    return values[i] if len(values) > 1 else values[0]


def avg_map(sizes: List[int], kernel: List[int], stride: List[int], padding: List[int], ceil_mode: bool, include_pad: bool, plain: bool, i: int, k: int) -> Tensor:
    """The matrix of an average pool along one dimension; sums where `plain`."""
    n = sizes[len(sizes) - k + i]
    size = pick(kernel, i)
    step = size if len(stride) == 0 else pick(stride, i)
    eye = torch.eye(n, dtype=torch.float64).reshape([1, n, n, 1])
    if plain:
        return torch.avg_pool2d(eye, [size, 1], [step, 1], [pick(padding, i), 0], ceil_mode, include_pad, 1).reshape([n, -1])
    return torch.avg_pool2d(eye, [size, 1], [step, 1], [pick(padding, i), 0], ceil_mode, include_pad).reshape([n, -1])


def avg1d_grad(grad: Tensor, sizes: List[int], kernel: List[int], stride: List[int], padding: List[int], ceil_mode: bool, include_pad: bool) -> Tensor:
    size = kernel[0]
    if (len(stride) == 0 or stride[0] == size) and padding[0] == 0 and grad.size(-1) * size == sizes[len(sizes) - 1]:
        # Windows that are tiles: every place has the share of its own.
        return (grad / size).unsqueeze(-1).expand(grad.size() + [size]).reshape(sizes)
    return spread(grad, [avg_map(sizes, kernel, stride, padding, ceil_mode, include_pad, False, 0, 1)])


def avg2d_grad(grad: Tensor, sizes: List[int], kernel: List[int], stride: List[int], padding: List[int], ceil_mode: bool, include_pad: bool, divisor: Optional[int]) -> Tensor:
    plain = divisor is not None
    maps = [avg_map(sizes, kernel, stride, padding, ceil_mode, include_pad, plain, 0, 2), avg_map(sizes, kernel, stride, padding, ceil_mode, include_pad, plain, 1, 2)]
    out = spread(grad, maps)
    return out if divisor is None else out / divisor


def avg3d_grad(grad: Tensor, sizes: List[int], kernel: List[int], stride: List[int], padding: List[int], ceil_mode: bool, include_pad: bool, divisor: Optional[int]) -> Tensor:
    plain = divisor is not None
    maps = [avg_map(sizes, kernel, stride, padding, ceil_mode, include_pad, plain, 0, 3), avg_map(sizes, kernel, stride, padding, ceil_mode, include_pad, plain, 1, 3), avg_map(sizes, kernel, stride, padding, ceil_mode, include_pad, plain, 2, 3)]
    out = spread(grad, maps)
    return out if divisor is None else out / divisor


def check_not_empty(grad: Tensor, name: str, k: int) -> None:
    """Refuses gradients of pools without elements, but for the batch."""
    whole = grad.unsqueeze(-2) if k == 1 else grad
    for d in range(1, whole.dim()):
        if whole.size(d) == 0:
            raise RuntimeError("{}{}d_backward(): Expected grad_output to have non-zero size for non-batch dimensions, but grad_output has sizes {} with dimension {} being empty".format(name, max(k, 2), whole.size(), d))


def adaptive_max_grad(grad: Tensor, index: Tensor, sizes: List[int], last: int) -> Tensor:
    check_not_empty(grad, "adaptive_max_pool", last)
    return places_back(grad, index, sizes, last)


def adaptive_grad(grad: Tensor, sizes: List[int], output: List[int]) -> Tensor:
    k = len(output)
    check_not_empty(grad, "adaptive_avg_pool", k)
    maps: List[Tensor] = []
    for i in range(k):
        n, m = sizes[len(sizes) - k + i], grad.size(grad.dim() - k + i)
        maps.append(torch.adaptive_avg_pool2d(torch.eye(n, dtype=torch.float64).reshape([1, n, n, 1]), [m, 1]).reshape([n, m]))
    return spread(grad, maps)


def scale_at(scales: Optional[List[float]], i: int) -> Optional[float]:
    return None if scales is None else scales[i]


def linear_map(grad: Tensor, sizes: List[int], d: int, align: bool, scale: Optional[float]) -> Tensor:
    n = sizes[d]
    return torch.upsample_linear1d(torch.eye(n, dtype=torch.float64).unsqueeze(0), [grad.size(d)], align, scale).squeeze(0)


def linear_back(grad: Tensor, n: int, d: int, align: bool, scale: Optional[float]) -> Tensor:
    """The way back through linear interpolation of a long dimension: to the two places that made each element."""
    m = grad.size(d)
    source = torch.upsample_linear1d(torch.arange(n, dtype=torch.float64).reshape([1, 1, n]), [m], align, scale).reshape([m])
    first = source.floor()
    part = (source - first).to(grad.dtype).reshape([m] + [1] * (grad.dim() - 1 - d))
    place = first.to(torch.int64)
    sizes = grad.size()
    sizes[d] = n
    after = grad * part
    return grad.new_zeros(sizes).index_add(d, place, grad - after).index_add(d, (place + 1).clamp_max(n - 1), after)


def linear_spread(grad: Tensor, sizes: List[int], align: bool, scales: List[Optional[float]]) -> Tensor:
    k = len(scales)
    for i in range(k):
        d = grad.dim() - k + i
        narrow = grad.dtype == torch.float16 or grad.dtype == torch.bfloat16
        if sizes[d] > 256 and not narrow:
            grad = linear_back(grad, sizes[d], d, align, scales[i])
        else:
            map = linear_map(grad, sizes, d, align, scales[i]).to(grad.dtype).t()
            grad = torch.matmul(grad.transpose(d, -1), map).transpose(d, -1)
    return grad


def cubic_map(grad: Tensor, sizes: List[int], d: int, align: bool, scale: Optional[float]) -> Tensor:
    n, m = sizes[d], grad.size(d)
    return torch.upsample_bicubic2d(torch.eye(n, dtype=torch.float64).reshape([1, n, n, 1]), [m, 1], align, scale).reshape([n, m])


def smooth_map(grad: Tensor, sizes: List[int], d: int, align: bool, scale: Optional[float], cubic: bool) -> Tensor:
    n, m = sizes[d], grad.size(d)
    eye = torch.eye(n, dtype=torch.float64).reshape([1, n, n, 1])
    if cubic:
        return torch._upsample_bicubic2d_aa(eye, [m, 1], align, scale).reshape([n, m])
    return torch._upsample_bilinear2d_aa(eye, [m, 1], align, scale).reshape([n, m])


def lanczos_map(grad: Tensor, sizes: List[int], d: int, align: bool, scale: Optional[float]) -> Tensor:
    n, m = sizes[d], grad.size(d)
    eye = torch.eye(n, dtype=torch.float64).reshape([1, n, n, 1])
    return torch._upsample_lanczos2d_aa(eye, [m, 1], align, scale).reshape([n, m])


def check_fixed(x: Optional[Tensor], name: str) -> None:
    if x is not None and x.requires_grad:
        raise RuntimeError("The function 'native_batch_norm' is not differentiable with respect to argument '{}'. This input cannot have requires_grad True.".format(name))


def batch_norm_parts(x: Tensor, weight: Optional[Tensor], bias: Optional[Tensor], mean: Optional[Tensor], var: Optional[Tensor], training: bool, momentum: float, eps: float) -> Tensor:
    if x.numel() > 0:
        check_fixed(mean, "running_mean")
        check_fixed(var, "running_var")
    else:
        # Nothing is known of the batch, so the statistics stay as they are.
        out = x.clone()
        if weight is not None:
            out = out * weight[0]
        if bias is not None:
            out = out + bias[0]
        return out
    return native_batch_norm_parts(x, weight, bias, mean, var, training, momentum, eps)[0]


def native_batch_norm_parts(x: Tensor, weight: Optional[Tensor], bias: Optional[Tensor], mean: Optional[Tensor], var: Optional[Tensor], training: bool, momentum: float, eps: float) -> Tuple[Tensor, Tensor, Tensor]:
    if mean is None or var is None:
        return torch._native_batch_norm_legit(x, weight, bias, training, momentum, eps)
    if training:
        return torch._native_batch_norm_legit(x, weight, bias, mean, var, training, momentum, eps)
    return torch._native_batch_norm_legit_no_training(x, weight, bias, mean, var, momentum, eps)


def widened(x: Tensor) -> Tensor:
    """The tensor in a precision in which sums may be made."""
    return x.to(torch.float32) if x.dtype == torch.bfloat16 or x.dtype == torch.float16 else x


def widened_weight(x: Optional[Tensor]) -> Optional[Tensor]:
    return None if x is None else widened(x)


def as_kept(value: Tensor, x: Tensor, weight: Optional[Tensor]) -> Tensor:
    """Statistics with the precision in which the operator keeps them: that of its weight, or of its input."""
    like = x if weight is None else weight
    return value.to(like.dtype).to(value.dtype)


def channels(value: Tensor, rank: int) -> Tensor:
    return value.reshape([1, -1] + [1] * (rank - 2))


def is_for_kernel(x: Tensor) -> bool:
    """Whether kernels give the gradient of what was normalised: those have no gradients themselves."""
    return x.dtype == torch.float32 and x.numel() > 0 and not torch.is_grad_enabled()


def in_planes(grad: Tensor, x: Tensor) -> bool:
    """The same by channels: planes are large enough, and lie in order."""
    large = x.numel() >= 16 * x.size(0) * x.size(1)
    return is_for_kernel(x) and large and x.is_contiguous() and grad.is_contiguous()


def batch_norm_grad(narrow_grad: Tensor, narrow_x: Tensor, narrow_weight: Optional[Tensor], mean: Tensor, invstd: Tensor, training: bool, eps: float, needs: List[bool]) -> Tuple[Tensor, Tensor, Tensor]:
    if not training:
        # The running statistics are not kept: in training the call itself changes them.
        raise RuntimeError("_native_batch_norm_legit has gradients in training alone; native_batch_norm has both")
    grad, x, weight = widened(narrow_grad), widened(narrow_x), widened_weight(narrow_weight)
    if in_planes(grad, x):
        return torch.native_batch_norm_backward(grad, x, weight, None, None, mean, invstd, True, eps, needs)
    rank = x.dim()
    dims = [0] + [d + 2 for d in range(rank - 2)]
    n = max(x.numel() // max(x.size(1), 1), 1)
    center = x - as_kept(torch.mean(x, dims, True), narrow_x, narrow_weight)
    scale = channels(widened(invstd), rank)
    if torch.is_grad_enabled():
        # Gradients of this need how the scale comes about.
        scale = torch.rsqrt(torch.mean(center * center, dims, True) + eps)
    normal = center * scale
    gb = grad.sum(dims)
    gw = (grad * normal).sum(dims)
    gx = grad if weight is None else grad * channels(weight, rank)
    if needs[0]:
        a = gb / n
        b = gw / n
        factor = scale if weight is None else scale * channels(weight, rank)
        gx = (grad - channels(a, rank) - normal * channels(b, rank)) * factor
    return gx, gw, gb


def fixed_norm_grad(narrow_grad: Tensor, narrow_x: Tensor, narrow_weight: Optional[Tensor], mean: Tensor, var: Tensor, eps: float, needs: List[bool]) -> Tuple[Tensor, Tensor, Tensor]:
    grad, x, weight = widened(narrow_grad), widened(narrow_x), widened_weight(narrow_weight)
    rank = x.dim()
    dims = [0] + [d + 2 for d in range(rank - 2)]
    scale = channels(torch.rsqrt(widened(var) + eps), rank)
    gw = (grad * ((x - channels(widened(mean), rank)) * scale)).sum(dims)
    gx = grad * scale if weight is None else grad * (scale * channels(weight, rank))
    return gx, gw, grad.sum(dims)


def instance_norm_parts(x: Tensor, weight: Optional[Tensor], bias: Optional[Tensor], mean: Optional[Tensor], var: Optional[Tensor], use_input: bool, momentum: float, eps: float) -> Tensor:
    n, c = x.size(0), x.size(1)
    w = weight.repeat(n) if weight is not None else weight
    b = bias.repeat(n) if bias is not None else bias
    m = mean.repeat(n) if mean is not None else mean
    v = var.repeat(n) if var is not None else var
    out = torch.batch_norm(x.contiguous().view([1, n * c] + x.size()[2:]), w, b, m, v, use_input, momentum, eps, False)
    if mean is not None and m is not None:
        mean.copy_(m.view([n, c]).mean(0))
    if var is not None and v is not None:
        var.copy_(v.view([n, c]).mean(0))
    return out.view(x.size())


def layer_norm_grad(narrow_grad: Tensor, narrow_x: Tensor, narrow_weight: Optional[Tensor], kept_mean: Tensor, kept_scale: Tensor, shape: List[int], eps: float, needs: List[bool]) -> Tuple[Tensor, Tensor, Tensor]:
    grad, x, weight = widened(narrow_grad), widened(narrow_x), widened_weight(narrow_weight)
    if is_for_kernel(x):
        return torch.native_layer_norm_backward(grad, x, shape, kept_mean, kept_scale, weight, None, needs)
    k = len(shape)
    dims = [d - k for d in range(k)]
    outer = [d for d in range(x.dim() - k)]
    center = x - torch.mean(x, dims, True)
    scale = as_kept(torch.rsqrt(torch.mean(center * center, dims, True) + eps), narrow_x, narrow_weight)
    normal = (x - as_kept(torch.mean(x, dims, True), narrow_x, narrow_weight)) * scale
    gw, gb = grad, grad
    if needs[1]:
        gw = grad * normal
        gw = gw.sum(outer) if len(outer) > 0 else gw
    if needs[2]:
        gb = grad.sum(outer) if len(outer) > 0 else grad
    gx = grad
    if needs[0]:
        weighed = grad if weight is None else grad * weight
        gx = unnormal(weighed, normal, scale, dims)
    return gx, gw, gb


def unnormal(weighed: Tensor, normal: Tensor, scale: Tensor, dims: List[int]) -> Tensor:
    """The gradient of what was normalised over some dimensions, by that of the result without the weight."""
    return (weighed - torch.mean(weighed, dims, True) - normal * torch.mean(weighed * normal, dims, True)) * scale


def group_norm_parts(narrow_x: Tensor, weight: Optional[Tensor], bias: Optional[Tensor], groups: int, eps: float) -> Tensor:
    x = widened(narrow_x)
    out = x
    if x.numel() > 0:
        flat = x.reshape([x.size(0), groups, -1])
        mean = torch.mean(flat, [2], True)
        scale = torch.rsqrt(torch.mean((flat - mean).square(), [2], True) + eps)
        center = flat - as_kept(mean, narrow_x, weight)
        out = (center * as_kept(scale, narrow_x, weight)).reshape(x.size())
    if weight is not None:
        out = out * channels(widened(weight), x.dim())
    if bias is not None:
        out = out + channels(widened(bias), x.dim())
    return out.to(narrow_x.dtype)


def group_norm_grad(narrow_grad: Tensor, narrow_x: Tensor, narrow_weight: Optional[Tensor], groups: int, eps: float, needs: List[bool]) -> Tuple[Tensor, Tensor, Tensor]:
    grad, x, weight = widened(narrow_grad), widened(narrow_x), widened_weight(narrow_weight)
    if in_planes(grad, x):
        n, c = x.size(0), x.size(1)
        kept = torch.native_group_norm(narrow_x, narrow_weight, None, n, c, x.numel() // (n * c), groups, eps)
        return torch.native_group_norm_backward(grad, x, kept[1], kept[2], weight, n, c, x.numel() // (n * c), groups, needs)
    rows = [x.size(0), groups, x.numel() // max(x.size(0) * groups, 1)]
    planes = [x.size(0), x.size(1), x.numel() // max(x.size(0) * x.size(1), 1)]
    flat = x.reshape(rows)
    mean = torch.mean(flat, [2], True)
    center = flat - mean
    scale = as_kept(torch.rsqrt(torch.mean(center * center, [2], True) + eps), narrow_x, narrow_weight)
    normal = (flat - as_kept(mean, narrow_x, narrow_weight)) * scale
    gw, gb = grad, grad
    if needs[1]:
        gw = (grad.reshape(planes) * normal.reshape(planes)).sum([0, 2])
    if needs[2]:
        gb = grad.reshape(planes).sum([0, 2])
    gx = grad
    if needs[0]:
        weighed = grad if weight is None else grad * channels(weight, x.dim())
        weighed = weighed.reshape(rows)
        gx = unnormal(weighed, normal, scale, [2]).reshape(x.size())
    return gx, gw, gb


def native_group_norm_parts(x: Tensor, weight: Optional[Tensor], bias: Optional[Tensor], groups: int, eps: float) -> Tuple[Tensor, Tensor, Tensor]:
    flat = x.reshape([x.size(0), groups, x.numel() // max(x.size(0) * groups, 1)])
    mean = torch.mean(flat, [2])
    inverse = torch.rsqrt(torch.mean((flat - mean.unsqueeze(2)).square(), [2]) + eps)
    return group_norm_parts(x, weight, bias, groups, eps), mean, inverse


def fused_rms_norm_parts(narrow_x: Tensor, shape: List[int], weight: Optional[Tensor], eps: Optional[float]) -> Tuple[Tensor, Tensor]:
    assert weight is None or list(weight.size()) == shape
    assert narrow_x.dim() >= len(shape) and list(narrow_x.size()[narrow_x.dim() - len(shape) :]) == shape
    x = widened(narrow_x)
    dims = [d - len(shape) for d in range(len(shape))]
    small = eps if eps is not None else (2.220446049250313e-16 if x.dtype == torch.float64 else 1.1920928955078125e-07)
    scale = torch.rsqrt(torch.mean(x * x, dims, True) + small)
    out = x * scale
    out = out if weight is None else out * weight
    return out.to(narrow_x.dtype), scale


def rms_norm_parts(x: Tensor, shape: List[int], weight: Optional[Tensor], eps: Optional[float]) -> Tensor:
    return fused_rms_norm_parts(x, shape, weight, eps)[0]


def weight_norm_parts(v: Tensor, g: Tensor, dim: int) -> Tensor:
    if dim == 0 or dim == v.dim() - 1:
        return torch._weight_norm_interface(v, g, dim)[0]
    return v * (g / torch.norm_except_dim(v, 2, dim))


def weight_norm_size(v: Tensor, dim: int) -> Tensor:
    if dim == -1:
        return torch.norm(v)
    dims: List[int] = []
    for d in range(v.dim()):
        if d != dim:
            dims.append(d)
    return torch.linalg_vector_norm(v, 2, dims, True)


def reduced(x: Tensor, reduction: int) -> Tensor:
    if reduction == 1:
        return x.mean()
    return x.sum() if reduction == 2 else x


def scaled(grad: Tensor, slope: Tensor, reduction: int, count: int) -> Tensor:
    """The gradient of a loss before its reduction; the mean is of as many as the argument has, broadcast or not."""
    if reduction == 1:
        return slope * (grad / count)
    return slope * grad


def weighted(x: Tensor, weight: Optional[Tensor]) -> Tensor:
    return x if weight is None else x * weight


def smooth_slope(x: Tensor, beta: float) -> Tensor:
    return x.sgn() if beta == 0.0 else (x / beta).clamp(-1, 1)


def logits_slope(x: Tensor, target: Tensor, weight: Optional[Tensor]) -> Tensor:
    if weight is None:
        return torch.sigmoid(x) - target
    t = weight * target
    return (t + 1 - target) * torch.sigmoid(x) - t


def logits_target_slope(x: Tensor, weight: Optional[Tensor]) -> Tensor:
    if weight is None:
        return -x
    return torch.log_sigmoid(-x) - weight * torch.log_sigmoid(x)


def nll_grad(grad: Tensor, sizes: List[int], dtype: int, target: Tensor, weight: Optional[Tensor], reduction: int, ignore: int) -> Tensor:
    d = 0 if len(sizes) == 1 else 1
    keep = target != ignore
    index = target.masked_fill(~keep, 0)
    factor = keep.to(dtype)
    if weight is not None:
        factor = factor * weight.index_select(0, index.reshape(-1)).reshape(index.size())
    if reduction == 1:
        factor = factor / factor.sum()
    values = (-(factor * grad)).masked_fill(~keep, 0)
    return torch.zeros(sizes, dtype=dtype).scatter(d, index.unsqueeze(d), values.unsqueeze(d))


def nll_parts(x: Tensor, target: Tensor, weight: Optional[Tensor], reduction: int, ignore: int) -> Tensor:
    if x.dim() <= 2:
        return torch.nll_loss(x, target, weight, reduction, ignore)
    if x.dim() == 4:
        return torch.nll_loss2d(x, target, weight, reduction, ignore)
    n, c = x.size(0), x.size(1)
    flat = torch.nll_loss2d(x.contiguous().view([n, c, 1, -1]), target.contiguous().view([n, 1, -1]), weight, reduction, ignore)
    return flat if reduction != 0 else flat.view(target.size())


def cross_entropy_parts(x: Tensor, target: Tensor, weight: Optional[Tensor], reduction: int, ignore: int, smoothing: float) -> Tensor:
    d = 0 if x.dim() == 1 else 1
    n = x.size(d)
    if smoothing > 1.0:
        return torch.cross_entropy_loss(x.detach(), target, weight, reduction, ignore, smoothing)
    if target.is_floating_point():
        assert ignore < 0
        soft = target if not smoothing > 0.0 else target * (1 - smoothing) + smoothing / n
        logs = torch.log_softmax(x, d)
        products = logs * soft
        if weight is not None:
            products = products * (weight if x.dim() == 1 else channels(weight, x.dim()))
        if reduction == 0:
            return -products.sum([d])
        if reduction == 1:
            return -products.sum() / (x.numel() // n)
        return -products.sum()
    logs = torch.log_softmax(x, d)
    plain = torch.nll_loss_nd(logs, target, weight, reduction, ignore)
    if not smoothing > 0.0:
        return plain
    spread = -logs if weight is None else -logs * (weight if x.dim() == 1 else channels(weight, x.dim()))
    smooth = spread.sum([d])
    ignored = target == ignore
    smooth = smooth.masked_fill(ignored, 0.0)
    if reduction == 1:
        if weight is None:
            smooth = smooth.sum() / (target.numel() - ignored.sum())
        else:
            index = target.masked_fill(ignored, 0)
            smooth = smooth.sum() / weight.gather(0, index.flatten()).masked_fill(ignored.flatten(), 0.0).sum()
    elif reduction == 2:
        smooth = smooth.sum()
    return (1 - smoothing) * plain + (smoothing / n) * smooth


def kl_parts(x: Tensor, target: Tensor, reduction: int, log_target: bool) -> Tensor:
    if log_target:
        return reduced(torch.exp(target) * (target - x), reduction)
    return reduced(torch.xlogy(target, target) - target * x, reduction)


def poisson_parts(x: Tensor, target: Tensor, log_input: bool, full: bool, eps: float) -> Tensor:
    loss = torch.exp(x) - target * x if log_input else x - target * torch.log(x + eps)
    if full:
        stirling = target * torch.log(target) - target + 0.5 * torch.log(6.283185307179586 * target)
        loss = loss + stirling.masked_fill(target <= 1, 0)
    return loss


def cosine_loss_parts(a: Tensor, b: Tensor, target: Tensor, margin: float) -> Tensor:
    d = target.dim()
    small = 1e-12
    cos = (a * b).sum([d]) / torch.sqrt(((a * a).sum([d]) + small) * ((b * b).sum([d]) + small))
    zeros = torch.zeros_like(cos)
    return torch.where(target == 1, 1 - cos, zeros) + torch.where(target == -1, torch.clamp_min(cos - margin, 0), zeros)


def triplet_parts(anchor: Tensor, near: Tensor, far: Tensor, margin: float, p: float, eps: float, swap: bool) -> Tensor:
    assert anchor.dim() == near.dim() and anchor.dim() == far.dim()
    dn = torch.pairwise_distance(anchor, near, p, eps)
    df = torch.pairwise_distance(anchor, far, p, eps)
    if swap:
        df = torch.min(df, torch.pairwise_distance(near, far, p, eps))
    return torch.clamp_min(margin + dn - df, 0)


def multi_margin_parts(x: Tensor, target: Tensor, p: float, margin: float, weight: Optional[Tensor]) -> Tensor:
    rows = x.reshape([1, -1]) if x.dim() <= 1 else x
    index = target.reshape([-1, 1])
    z = torch.clamp_min(margin - rows.gather(1, index) + rows, 0)
    if p == 2.0:
        z = z * z
    if weight is not None:
        z = z * weight.index_select(0, index.reshape(-1)).unsqueeze(1)
    z = z.scatter(1, index, 0.0).sum([1]) / rows.size(1)
    return z.reshape([]) if x.dim() <= 1 else z


def multilabel_parts(x: Tensor, target: Tensor) -> Tensor:
    rows = x.reshape([-1, x.size(-1)]) if x.dim() > 0 else x.reshape([1, 1])
    labels = target.reshape(rows.size())
    ended = torch.cumsum((labels < 0).to(torch.long), 1) > 0
    index = labels.masked_fill(ended, 0)
    is_label = torch.zeros_like(rows).scatter_add(1, index, (~ended).to(rows.dtype)) > 0
    z = torch.clamp_min(1 - rows.gather(1, index).unsqueeze(2) + rows.unsqueeze(1), 0)
    z = z.masked_fill(ended.unsqueeze(2), 0).masked_fill(is_label.unsqueeze(1), 0)
    out = z.sum([1, 2]) / rows.size(1)
    return out.reshape([]) if x.dim() <= 1 else out


def ctc_whole(logs: Tensor, targets: Tensor, input_lengths: List[int], target_lengths: List[int], blank: int, reduction: int, zero_infinity: bool) -> Tensor:
    single = logs.dim() == 2
    out = torch._ctc_loss(logs.unsqueeze(1) if single else logs, targets, input_lengths, target_lengths, blank, zero_infinity)[0]
    if zero_infinity:
        out = torch.where(out == float("inf"), torch.zeros([], dtype=out.dtype), out)
    if reduction == 1:
        return (out / torch.tensor(target_lengths).clamp_min(1).to(out.dtype)).mean()
    if reduction == 2:
        return out.sum()
    return out.squeeze(0) if single else out


def ctc_parts(logs: Tensor, targets: Tensor, input_lengths: List[int], target_lengths: List[int], blank: int, zero_infinity: bool) -> Tensor:
    batch = len(input_lengths)
    losses: List[Tensor] = []
    start = 0
    floor = torch.full([], -1e30, dtype=logs.dtype)
    for b in range(batch):
        length = target_lengths[b]
        labels = targets.narrow(0, start, length) if targets.dim() == 1 else targets[b].narrow(0, 0, length)
        start += length
        states = torch.full([2 * length + 1], blank, dtype=torch.long)
        if length > 0:
            states[1::2] = labels.to(torch.long)
        own = logs.select(1, b).index_select(1, states)
        jumps = torch.zeros([2 * length + 1], dtype=torch.bool)
        if length > 1:
            jumps[2:] = (states[2:] != blank) & (states[2:] != states[:-2])
        first = torch.arange(2 * length + 1) < 2
        alpha = torch.where(first, own[0], floor)
        for t in range(1, input_lengths[b]):
            one = torch.cat([floor.reshape(1), alpha[:-1]])
            two = torch.where(jumps, torch.cat([floor.reshape(1), floor.reshape(1), alpha[:-2]])[: 2 * length + 1], floor)
            alpha = torch.logsumexp(torch.stack([alpha, one, two]), [0]) + own[t]
        ends = alpha[-2:] if length > 0 else alpha
        loss = -torch.logsumexp(ends, [0])
        # The reference's gradient is that of the numbers before their log_softmax.
        shares = torch.exp(logs.select(1, b).narrow(0, 0, input_lengths[b])).sum()
        loss = loss + (shares - shares.detach())
        if zero_infinity:
            loss = torch.where(loss > 1e29, torch.zeros_like(loss), loss)
        elif float(loss) > 1e29:
            loss = shares * float("nan")
        losses.append(loss)
    return torch.stack(losses)


def embedding_grad(grad: Tensor, index: Tensor, sizes: List[int], padding: int, by_count: bool, sparse: bool) -> Tensor:
    if sparse and by_count:
        raise RuntimeError("embedding_backward: scale_grad_by_freq not supported with sparse gradients")
    rows = grad.reshape([-1, sizes[1]])
    flat = index.reshape(-1)
    if padding >= 0:
        rows = rows.masked_fill((flat == padding).unsqueeze(-1), 0)
    if by_count:
        counts = torch.zeros([sizes[0]], dtype=grad.dtype).index_add(0, flat, torch.ones(flat.size(), dtype=grad.dtype))
        rows = rows / counts.index_select(0, flat).unsqueeze(-1)
    return torch.zeros(sizes, dtype=grad.dtype).index_add(0, flat, rows)


def bag_parts(weight: Tensor, index: Tensor, offsets: Tensor, mode: int, scales: Optional[Tensor], include_last: bool, padding: Optional[int], by_count: bool) -> Tensor:
    total = offsets.numel() - 1 if include_last else offsets.numel()
    starts = offsets.narrow(0, 0, total).to(torch.long)
    bags = torch.searchsorted(starts, torch.arange(index.numel()), right=True) - 1
    rows = weight.index_select(0, index)
    if by_count:
        parts_of = torch.bincount(index.to(torch.long)).index_select(0, index).unsqueeze(-1)
        shares = rows / parts_of
        rows = shares + (rows - shares).detach()
    keep = torch.ones(index.size(), dtype=torch.bool)
    if padding is not None:
        keep = index != (padding + weight.size(0) if padding < 0 else padding)
    if scales is not None:
        rows = rows * scales.unsqueeze(-1)
    rows = rows.masked_fill(~keep.unsqueeze(-1), 0)
    zeros = torch.zeros([total, weight.size(1)], dtype=weight.dtype)
    if mode == 2:
        parts: List[Tensor] = []
        for b in range(total):
            own = rows.index_select(0, torch.nonzero((bags == b) & keep).reshape(-1))
            parts.append(torch.max(own, 0)[0] if own.size(0) > 0 else zeros[b])
        return torch.stack(parts) if total > 0 else zeros
    out = zeros.index_add(0, bags, rows)
    if mode == 1:
        n = torch.zeros([total], dtype=weight.dtype).index_add(0, bags, keep.to(weight.dtype))
        out = out / n.clamp_min(1).unsqueeze(-1)
    return out


def attention_pick(q: Tensor, k: Tensor, v: Tensor, mask: Optional[Tensor], p: float, causal: bool, scale: Optional[float], grouped: bool) -> Tensor:
    if q.dim() == 3 and k.dim() == 3 and v.dim() == 3:
        wide = mask.unsqueeze(0) if mask is not None and mask.dim() == 3 else mask
        return attention_of_batch(q.unsqueeze(0), k.unsqueeze(0), v.unsqueeze(0), wide, p, causal, scale, grouped, True).squeeze(0)
    return attention_of_batch(q, k, v, mask, p, causal, scale, grouped, mask is None or mask.dim() != 3)


def attention_of_batch(q: Tensor, k: Tensor, v: Tensor, mask: Optional[Tensor], p: float, causal: bool, scale: Optional[float], grouped: bool, mask_fits: bool) -> Tensor:
    """By the fused kernel where that takes the arguments, else by its parts, in a precision in which sums may be made."""
    same_heads = not grouped or q.size(-3) == k.size(-3) and q.size(-3) == v.size(-3)
    by_rows = q.stride(-1) == 1 and k.stride(-1) == 1 and v.stride(-1) == 1
    if q.dim() == 4 and p == 0.0 and same_heads and by_rows and mask_fits and (mask is None or not mask.requires_grad) and q.size(-1) == v.size(-1):
        return attention_fused(q, k, v, mask, causal, scale)
    return attention_parts(widened(q), widened(k), widened(v), mask, p, causal, scale, grouped).to(q.dtype)


def attention_fused(q: Tensor, k: Tensor, v: Tensor, mask: Optional[Tensor], causal: bool, scale: Optional[float]) -> Tensor:
    bias = mask
    if mask is not None and mask.dtype == torch.bool:
        bias = torch.zeros(mask.size(), dtype=q.dtype).masked_fill(~mask, -float("inf"))
    return torch._scaled_dot_product_flash_attention_for_cpu(q, k, v, 0.0, causal, attn_mask=bias, scale=scale)[0]


def flash_grad(narrow: Tensor, query: Tensor, key: Tensor, value: Tensor, result: Tensor, mask: Optional[Tensor], causal: bool, scale: Optional[float]) -> Tuple[Tensor, Tensor, Tensor]:
    """The heads of a place lie side by side in all three."""
    grad, q, k, v = widened(narrow), widened(query), widened(key), widened(value)
    factor = scale if scale is not None else 1.0 / float(q.size(-1)) ** 0.5
    shares = torch._safe_softmax(masked_scores(torch.matmul(q * factor, k.transpose(-2, -1)), mask, causal), -1)
    inner = shares * (torch.matmul(grad, v.transpose(-2, -1)) - (grad * widened(result)).sum([-1], True)) * factor
    return by_places(torch.matmul(inner, k)), by_places(torch.matmul(inner.transpose(-2, -1), q)), by_places(torch.matmul(shares.transpose(-2, -1), grad))


def by_places(x: Tensor) -> Tensor:
    return x.transpose(1, 2).contiguous().transpose(1, 2)


def masked_scores(scores: Tensor, mask: Optional[Tensor], causal: bool) -> Tensor:
    if causal:
        allowed = torch.ones([scores.size(-2), scores.size(-1)], dtype=torch.bool).tril()
        scores = scores.masked_fill(~allowed, -float("inf"))
    if mask is not None:
        scores = scores.masked_fill(~mask, -float("inf")) if mask.dtype == torch.bool else scores + mask
    return scores


def attention_parts(q: Tensor, k: Tensor, v: Tensor, mask: Optional[Tensor], p: float, causal: bool, scale: Optional[float], grouped: bool) -> Tensor:
    if grouped:
        k = k.repeat_interleave(q.size(-3) // k.size(-3), -3)
        v = v.repeat_interleave(q.size(-3) // v.size(-3), -3)
    factor = scale if scale is not None else 1.0 / float(q.size(-1)) ** 0.5
    shares = torch._safe_softmax(masked_scores(torch.matmul(q * factor, k.transpose(-2, -1)), mask, causal), -1)
    if p > 0.0:
        shares = torch.dropout(shares, p, True)
    return torch.matmul(shares, v)


def bilinear_parts(a: Tensor, b: Tensor, weight: Tensor, bias: Optional[Tensor]) -> Tensor:
    x = a.reshape([-1, a.size(-1)])
    y = b.reshape([-1, b.size(-1)])
    parts: List[Tensor] = []
    for o in range(weight.size(0)):
        parts.append((torch.mm(x, weight[o]) * y).sum([-1]))
    out = torch.stack(parts, -1).reshape(a.size()[:-1] + [weight.size(0)])
    return out if bias is None else out + bias


def native_dropout_grad(grad: Tensor, mask: Tensor, p: float, train: Optional[bool]) -> Tensor:
    if train is None or not train:
        return grad * mask
    return grad * (mask * (0.0 if p == 1.0 else 1.0 / (1.0 - p)))


def unpad(grad: Tensor, sizes: List[int], batch_first: bool, side: str) -> List[Tensor]:
    rows = grad if batch_first else grad.transpose(0, 1)
    out: List[Tensor] = []
    at = 0
    while at < len(sizes):
        length = sizes[at + 1]
        out.append(rows[len(out)].narrow(0, 0 if side == "right" else rows.size(1) - length, length))
        at += sizes[at] + 1
    return out


def norm_except_parts(v: Tensor, p: int, dim: int) -> Tensor:
    if dim == -1:
        return torch.norm(v, p)
    if dim == 0:
        return torch.norm(v.contiguous().view([v.size(0), -1]), p, [1]).view([v.size(0)] + [1] * (v.dim() - 1))
    if dim == v.dim() - 1:
        return torch.norm(v.contiguous().view([-1, v.size(-1)]), p, [0]).view([1] * (v.dim() - 1) + [v.size(-1)])
    turned = v.transpose(0, dim)
    rows = turned.contiguous().view([turned.size(0), -1])
    return torch.norm(rows, p, [1]).view([turned.size(0)] + [1] * (v.dim() - 1)).transpose(0, dim)
