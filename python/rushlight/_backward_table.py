"""The operators of `_backward_operators` that are one line: what an operator runs forwards, and on what."""

import rushlight as torch

aten = torch.ops.aten


def _blank(like, sizes):
    """A tensor whose elements the gradient does not depend on."""
    return like.detach().new_zeros(sizes)


def _resampled(forward, dims, aligned):
    """The schema's end and the call of an operator that resamples `dims` dimensions."""
    names = {1: ["scales"], 2: ["scales_h", "scales_w"], 3: ["scales_d", "scales_h", "scales_w"]}[dims]
    ends = "".join(f", float? {name}=None" for name in names)
    corners = ", bool align_corners" if aligned else ""
    schema = f"(Tensor grad_output, SymInt[{dims}] output_size, SymInt[{dims + 2}] input_size{corners}{ends}) -> Tensor"

    def call(of_forward, grad, output_size, input_size, *further):
        return of_forward(getattr(aten, forward).default, grad, _blank(grad, input_size), output_size, *further)

    return forward + "_backward" + schema, call


def _plain(schema, forward):
    """An operator that is given what the one forwards is given, after the gradient of its result."""

    def call(of_forward, grad, x, *further):
        return of_forward(getattr(aten, forward).default, grad, x, *further)

    return schema, call


def _of_sizes(schema, forward):
    """An operator that is given the sizes of the input in its place."""

    def call(of_forward, grad, input_sizes, *further):
        return of_forward(getattr(aten, forward).default, grad, _blank(grad, input_sizes), *further)

    return schema, call


def _padded(kind, dims):
    forward = f"{kind}_pad{dims}d"
    return _plain(f"{forward}_backward(Tensor grad_output, Tensor self, SymInt[{2 * dims}] padding) -> Tensor", forward)


def _averaged(dims):
    forward = f"avg_pool{dims}d"
    schema = (
        f"{forward}_backward(Tensor grad_output, Tensor self, int[{dims}] kernel_size, int[{dims}] stride, int[{dims}] padding, "
        "bool ceil_mode, bool count_include_pad, int? divisor_override) -> Tensor"
    )
    return _plain(schema, forward)


def _adaptively_averaged(name, forward, dims):
    def call(of_forward, grad, x):
        return of_forward(getattr(aten, forward).default, grad, x, list(grad.shape[-dims:]))

    return f"{name}(Tensor grad_output, Tensor self) -> Tensor", call


def _at_places(schema, dims):
    """Gradients of maxima, which go where the maxima were."""

    def call(of_forward, grad, x, *further):
        indices = further[-1]
        rows = list(x.shape[: x.dim() - dims])
        out = torch.zeros([*rows, x[(0,) * len(rows)].numel() if x.numel() else 0], dtype=grad.dtype)
        out = out.scatter_add(-1, indices.reshape([*rows, -1]), grad.reshape([*rows, -1]))
        return out.reshape(x.shape).contiguous(memory_format=_format_of(x))

    return schema, call


def _format_of(x):
    for rank, format in ((4, torch.channels_last), (5, torch.channels_last_3d)):
        if x.dim() == rank and x.is_contiguous(memory_format=format) and not x.is_contiguous():
            return format
    return torch.contiguous_format


def _masked_scatter(of_forward, grad, mask, sizes):
    kept = grad.masked_select(mask)
    count = torch.Size(sizes).numel()
    return torch.cat([kept, kept.new_zeros(count - kept.numel())]).view(sizes)


def _multilabel_margin(of_forward, grad, x, target, reduction, is_target):
    return of_forward(aten.multilabel_margin_loss.default, grad, x, target, reduction)


def _noisy(of_forward, grad, x, noise, lower, upper, training, self_is_result):
    if training and upper - lower > 1e-6:
        return grad * noise
    slope = (lower + upper) / 2
    return aten.leaky_relu_backward(grad, x, slope, self_is_result)


def _distances(of_forward, grad, x1, x2, p, cdist):
    return of_forward(lambda x: torch.cdist(x, x2, p, "donot_use_mm_for_euclid_dist"), grad, x1)


def _pair_distances(of_forward, grad, x, p, pdist):
    return of_forward(lambda x: torch.pdist(x, p), grad, x)


def _segments(of_forward, grad, output, data, reduce, lengths=None, offsets=None, axis=0, initial=None):
    given = {"lengths": lengths, "offsets": offsets, "axis": axis, "initial": initial, "unsafe": True}
    return of_forward(lambda x: torch.segment_reduce(x, reduce, **given), grad, data)


POOLED = "(Tensor grad_output, Tensor self, int[{0}] kernel_size, int[{0}] {1}, Tensor indices) -> Tensor"
ROWS = [
    *(_resampled(f"upsample_{kind}", dims, True) for kind, dims in (("linear1d", 1), ("bilinear2d", 2), ("bicubic2d", 2), ("trilinear3d", 3))),
    *(_resampled(f"_upsample_{kind}2d_aa", 2, True) for kind in ("bilinear", "bicubic")),
    *(_resampled(f"{kind}{dims}d", dims, False) for kind in ("upsample_nearest", "_upsample_nearest_exact") for dims in (1, 2, 3)),
    *(_padded(kind, dims) for kind in ("reflection", "replication") for dims in (1, 2, 3)),
    _averaged(2),
    _averaged(3),
    _adaptively_averaged("_adaptive_avg_pool2d_backward", "_adaptive_avg_pool2d", 2),
    _adaptively_averaged("_adaptive_avg_pool3d_backward", "_adaptive_avg_pool3d", 3),
    _at_places("adaptive_max_pool2d_backward(Tensor grad_output, Tensor self, Tensor indices) -> Tensor", 2),
    _at_places("adaptive_max_pool3d_backward(Tensor grad_output, Tensor self, Tensor indices) -> Tensor", 3),
    _at_places("fractional_max_pool2d_backward" + POOLED.format(2, "output_size"), 2),
    _at_places("fractional_max_pool3d_backward" + POOLED.format(3, "output_size"), 3),
    _at_places(
        "max_pool3d_with_indices_backward(Tensor grad_output, Tensor self, int[3] kernel_size, int[3] stride, int[3] padding, "
        "int[3] dilation, bool ceil_mode, Tensor indices) -> Tensor",
        3,
    ),
    _plain(
        "binary_cross_entropy_backward(Tensor grad_output, Tensor self, Tensor target, Tensor? weight=None, int reduction=1) -> Tensor",
        "binary_cross_entropy",
    ),
    _plain("huber_loss_backward(Tensor grad_output, Tensor self, Tensor target, int reduction, float delta) -> Tensor", "huber_loss"),
    _plain(
        "multi_margin_loss_backward(Tensor grad_output, Tensor self, Tensor target, Scalar p, Scalar margin, Tensor? weight=None, "
        "int reduction=1) -> Tensor",
        "multi_margin_loss",
    ),
    (
        "multilabel_margin_loss_backward(Tensor grad_output, Tensor self, Tensor target, int reduction, Tensor is_target) -> Tensor",
        _multilabel_margin,
    ),
    _of_sizes("unfold_backward(Tensor grad_in, SymInt[] input_sizes, int dim, int size, int step) -> Tensor", "unfold"),
    _of_sizes("diagonal_backward(Tensor grad_output, SymInt[] input_sizes, int offset, int dim1, int dim2) -> Tensor", "diagonal"),
    _plain("glu_backward(Tensor grad_output, Tensor self, int dim) -> Tensor", "glu"),
    _plain("logit_backward(Tensor grad_output, Tensor self, float? eps=None) -> Tensor", "logit"),
    ("masked_scatter_backward(Tensor grad_output, Tensor mask, SymInt[] sizes) -> Tensor", _masked_scatter),
    (
        "rrelu_with_noise_backward(Tensor grad_output, Tensor self, Tensor noise, Scalar lower, Scalar upper, bool training, "
        "bool self_is_result) -> Tensor",
        _noisy,
    ),
    ("_cdist_backward(Tensor grad_output, Tensor x1, Tensor x2, float p, Tensor cdist) -> Tensor", _distances),
    ("_pdist_backward(Tensor grad_output, Tensor self, float p, Tensor pdist) -> Tensor", _pair_distances),
    (
        "_segment_reduce_backward(Tensor grad, Tensor output, Tensor data, str reduce, *, Tensor? lengths=None, Tensor? offsets=None, "
        "int axis=0, Scalar? initial=None) -> Tensor",
        _segments,
    ),
]
