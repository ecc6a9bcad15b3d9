"""Operators of layers: convolutions, pooling, resizing, normalisation, attention."""

import rushlight as _torch

from ._common import Tensor, Unfit, all_front, batched_at, bind, front, padded, refuse, rule, wrap

_STATS = (
    "Batch norm got a batched tensor as input while the running_mean or running_var, which will be updated in place, were not "
    "batched.\nIf you are using a module and do not need eval mode, please set `track_running_stats` to be False.If you are using a "
    "prebuilt module and do not need eval mode, please see the functorch website for resources on how to patch your module to work "
    "with vmap"
)


def folded(level, call, args, kwargs, spatial):
    """An operator on ``spatial`` dimensions behind channels: the samples join those of the batch, or are the batch."""
    self = args[0]
    value, rank = front(self), self.dim()
    if rank == spatial + 1:
        return wrap(call(value, *args[1:], **kwargs), level)
    if rank != spatial + 2:
        raise Unfit
    result = call(value.flatten(0, 1), *args[1:], **kwargs)
    return wrap(_unfolded(result, value.shape[:2]), level)


def _unfolded(result, sizes):
    if isinstance(result, Tensor):
        return result.reshape(*sizes, *result.shape[1:])
    parts = [_unfolded(r, sizes) for r in result]
    return type(result)(parts)


_FOLDED = {
    1: "max_pool1d max_pool1d_with_indices avg_pool1d adaptive_avg_pool1d adaptive_max_pool1d reflection_pad1d replication_pad1d "
       "upsample_nearest1d upsample_linear1d _upsample_nearest_exact1d",
    2: "max_pool2d max_pool2d_with_indices avg_pool2d adaptive_avg_pool2d _adaptive_avg_pool2d adaptive_max_pool2d reflection_pad2d "
       "replication_pad2d upsample_nearest2d upsample_bilinear2d upsample_bicubic2d _upsample_nearest_exact2d pixel_shuffle "
       "pixel_unshuffle im2col channel_shuffle",
    3: "max_pool3d max_pool3d_with_indices avg_pool3d adaptive_avg_pool3d adaptive_max_pool3d reflection_pad3d replication_pad3d "
       "upsample_nearest3d upsample_trilinear3d _upsample_nearest_exact3d",
}


def _fold(spatial):
    def rule_of(level, call, args, kwargs):
        if not args or any(isinstance(a, Tensor) for a in [*args[1:], *kwargs.values()]):
            raise Unfit
        if args[0].dim() == spatial + 1 and getattr(call, "__name__", "").startswith(("upsample", "_upsample")):
            raise Unfit
        return folded(level, call, args, kwargs, spatial)

    return rule_of


for _spatial, _names in _FOLDED.items():
    rule(*_names.split())(_fold(_spatial))


def _convolved(level, call, given, weight, bias, spatial, transposed, rest, groups):
    lone = given.dim() == spatial + 1
    if lone:
        given = given.unsqueeze(0)
    if given.dim() != spatial + 2 or weight.dim() != spatial + 2:
        raise Unfit
    late = bias is not None and (batched_at(bias, level) or batched_at(weight, level))
    own = None if late else bias
    if not batched_at(weight, level):
        if not batched_at(given, level):
            result = call(given, weight, None, *rest, groups)
        else:
            value = front(given)
            result = wrap(_unfolded(call(value.flatten(0, 1), weight, own, *rest, groups), value.shape[:2]), level)
    else:
        # Every sample is a group of channels of its own.
        filters = front(weight)
        count = level.batch_size
        if batched_at(given, level) or transposed or groups != 1:
            value = all_front(given, level).movedim(0, 1)
            value = value.reshape(value.shape[0], count * value.shape[2], *value.shape[3:])
            groups = groups * count
        else:
            value = given
        result = call(value, filters.flatten(0, 1), None, *rest, groups)
        result = wrap(result.reshape(result.shape[0], count, result.shape[1] // count, *result.shape[2:]), level, 1)
    if late:
        result = result + bias.reshape(-1, *[1] * spatial)
    return result.squeeze(0) if lone else result


def _convolution(spatial):
    names = "input weight bias stride padding dilation groups"

    def rule_of(level, call, args, kwargs):
        given, weight, bias, stride, padding, dilation, groups = bind(
            names, [], _by_name(args, kwargs, names), bias=None, stride=1, padding=0, dilation=1, groups=1,
        )
        return _convolved(level, call, given, weight, bias, spatial, False, (stride, padding, dilation), groups)

    return rule_of


def _transposed(spatial):
    names = "input weight bias stride padding output_padding groups dilation"

    def rule_of(level, call, args, kwargs):
        given, weight, bias, stride, padding, more, groups, dilation = bind(
            names, [], _by_name(args, kwargs, names), bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1
        )

        def in_order(value, filters, bias, stride, padding, more, dilation, groups):
            return call(value, filters, bias, stride, padding, more, groups, dilation)

        return _convolved(level, in_order, given, weight, bias, spatial, True, (stride, padding, more, dilation), groups)

    return rule_of


def _by_name(args, kwargs, names):
    return {**dict(zip(names.split(), args)), **kwargs}


for _spatial in (1, 2, 3):
    rule(f"conv{_spatial}d")(_convolution(_spatial))
    rule(f"conv_transpose{_spatial}d")(_transposed(_spatial))


@rule("layer_norm")
def layer_norm(level, call, args, kwargs):
    """Normalisation over the last dimensions."""
    names = "input normalized_shape weight bias eps cudnn_enable"
    self, sizes, weight, bias, eps, *_ = bind(names, [], _by_name(args, kwargs, names), weight=None, bias=None, eps=1e-5)
    if not any(batched_at(t, level) for t in (weight, bias)):
        return wrap(call(front(self), sizes, weight, bias, eps), level)
    if not batched_at(self, level):
        result = call(self, sizes, None, None, eps)
    else:
        result = wrap(call(front(self), sizes, None, None, eps), level)
    if weight is not None:
        result = result * weight
    return result if bias is None else result + bias


@rule("rms_norm")
def rms_norm(level, call, args, kwargs):
    """Normalisation by the mean of squares over the last dimensions."""
    names = "input normalized_shape weight eps"
    self, sizes, weight, eps = bind(names, [], _by_name(args, kwargs, names), weight=None, eps=None)
    if not batched_at(weight, level):
        return wrap(call(front(self), sizes, weight, eps), level)
    result = wrap(call(front(self), sizes, None, eps), level) if batched_at(self, level) else call(self, sizes, None, eps)
    return result * weight


def _by_channel(tensor, rank):
    """A number for each channel, to be broadcast over a sample of ``rank`` dimensions."""
    return tensor.reshape(-1, *[1] * (rank - 2))


@rule("group_norm")
def group_norm(level, call, args, kwargs):
    """Normalisation of groups of channels."""
    names = "input num_groups weight bias eps cudnn_enabled"
    self, groups, weight, bias, eps, _ = bind(names, [], _by_name(args, kwargs, names), weight=None, bias=None, eps=1e-5)
    if self.dim() < 2:
        raise Unfit
    late = any(batched_at(t, level) for t in (weight, bias))
    if batched_at(self, level):
        value = front(self)
        result = call(value.flatten(0, 1), groups, None if late else weight, None if late else bias, eps)
        result = wrap(_unfolded(result, value.shape[:2]), level)
    else:
        result = call(self, groups, None, None, eps)
    if late:
        if weight is not None:
            result = result * _by_channel(weight, self.dim())
        if bias is not None:
            result = result + _by_channel(bias, self.dim())
    return result


@rule("instance_norm")
def instance_norm(level, call, args, kwargs):
    """Normalisation of each channel."""
    names = "input weight bias running_mean running_var use_input_stats momentum eps cudnn_enabled"
    self, weight, bias, mean, var, own, momentum, eps, cudnn = bind(names, [], _by_name(args, kwargs, names))
    if mean is not None or var is not None or not batched_at(self, level) or self.dim() < 3:
        raise Unfit
    value = front(self)
    result = call(value.flatten(0, 1), None, None, None, None, True, momentum, eps, cudnn)
    result = wrap(_unfolded(result, value.shape[:2]), level)
    if weight is not None:
        result = result * _by_channel(weight, self.dim())
    return result if bias is None else result + _by_channel(bias, self.dim())


@rule("batch_norm")
def batch_norm(level, call, args, kwargs):
    """Normalisation of channels over a batch: the channels of all samples stand side by side."""
    names = "input weight bias running_mean running_var training momentum eps cudnn_enabled"
    self, weight, bias, mean, var, training, momentum, eps, cudnn = bind(names, [], _by_name(args, kwargs, names))
    if training and batched_at(self, level) and any(s is not None and not batched_at(s, level) for s in (mean, var)):
        refuse(_STATS)
    if self.dim() < 2:
        raise Unfit
    value = all_front(self, level).movedim(0, 1)
    shape = value.shape
    value = value.reshape(shape[0], shape[1] * shape[2], *shape[3:])
    stats = []
    for part in (mean, var):
        if part is None:
            stats.append(None)
            continue
        whole = all_front(part, level)
        if training and not whole.is_contiguous():
            raise Unfit
        stats.append(whole.reshape(-1))
    result = call(value, None, None, *stats, training, momentum, eps, cudnn)
    result = wrap(result.reshape(shape), level, 1)
    if weight is not None:
        result = result * _by_channel(weight, self.dim())
    return result if bias is None else result + _by_channel(bias, self.dim())


@rule("scaled_dot_product_attention")
def attention(level, call, args, kwargs):
    """Attention: the samples are one more dimension before the heads."""
    names = "query key value attn_mask dropout_p is_causal scale enable_gqa"
    query, key, value, mask, dropout, *rest = bind(
        names, [], _by_name(args, kwargs, names), attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False
    )
    if dropout or rest[2]:
        raise Unfit
    rank = max(t.dim() for t in (query, key, value))
    parts = [padded(all_front(t, level), rank) for t in (query, key, value)]
    if mask is not None:
        mask = padded(front(mask), rank) if batched_at(mask, level) else mask
    return wrap(call(*parts, mask, dropout, rest[0], scale=rest[1]), level)


@rule("grid_sampler", "grid_sampler_2d")
def grid_sampler(level, call, args, kwargs):
    """Elements at places between pixels."""
    if args[0].dim() != args[1].dim():
        raise Unfit
    one, two = all_front(args[0], level), all_front(args[1], level)
    result = call(one.flatten(0, 1), two.flatten(0, 1), *args[2:], **kwargs)
    return wrap(_unfolded(result, one.shape[:2]), level)


@rule("prelu", "_prelu_kernel")
def prelu(level, call, args, kwargs):
    """A slope of each channel where elements are negative."""
    self, weight = args if len(args) == 2 else (*args, *kwargs.values())
    shape = weight.shape
    if self.dim() > 1 and weight.numel() > 1:
        weight = weight.reshape(-1, *[1] * (self.dim() - 2))
    elif len(shape):
        weight = weight.reshape(()) if self.dim() == 0 else weight
    return _torch.where(self > 0, self, self * weight)
