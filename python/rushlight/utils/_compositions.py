"""Operators that PyTorch makes of others, as modes that see every operator have them: each by the operators that it calls.

A rule takes all arguments of an overload and gives the result, or ``NotImplemented`` where the call stands for itself.
"""

import math
import threading

from .. import _rushlight

RULES = {}


class _Exact(threading.local):
    name = None


# Which overload a rule calls at the moment.
exact = _Exact()


def _op(name, overload="default"):
    """An operator that is called by its overload, when it is first needed; modes see exactly that one."""
    found = []
    full = f"aten::{name}" if overload == "default" else f"aten::{name}.{overload}"

    def call(*args, **kwargs):
        if not found:
            from .._namespaces import NAMESPACES

            found.append(getattr(getattr(NAMESPACES["ops"].aten, name), overload))
        exact.name = full
        try:
            return found[0](*args, **kwargs)
        finally:
            exact.name = None

    return call


def _rule(*names):
    def add(function):
        RULES.update({f"aten::{name}": function for name in names})
        return function

    return add


_view, _t, _mm, _bmm, _addmm, _mv, _dot = (_op(n) for n in ("view", "t", "mm", "bmm", "addmm", "mv", "dot"))
_unsafe_view, _expand, _permute, _unsqueeze, _clone = (_op(n) for n in ("_unsafe_view", "expand", "permute", "unsqueeze", "clone"))
_to_copy = _op("_to_copy")


def _with_gradients(node, tensors, call, backward):
    """The first result of a call, recorded with a derivative in operators that modes see.

    `backward` takes which gradients are wanted, that of the result and the other results, and gives one for each of `tensors`.
    """
    wanted = [t is not None and t.requires_grad for t in tensors]
    if not any(wanted) or not _rushlight.is_grad_enabled():
        return NotImplemented
    _rushlight.set_grad_enabled(False)
    try:
        results = call()
    finally:
        _rushlight.set_grad_enabled(True)
    results = results if isinstance(results, tuple) else (results,)
    _rushlight.record_custom(node, tensors, [results[0]], lambda grads: tuple(backward(wanted, grads[0], *results[1:])), [])
    return results[0]


def _by_columns(x):
    return x.dim() == 2 and x.stride(0) == 1 and x.stride(1) == x.shape[0]


def _gradient_of_first(grad, a, b):
    """The gradient of the first factor of a product of matrices; by columns where that is stored so."""
    return _t(_mm(b, _t(grad))) if _by_columns(a) else _mm(grad, _t(b))


def _gradient_of_second(grad, a, b):
    return _t(_mm(_t(grad), a)) if _by_columns(b) else _mm(_t(a), grad)


def _is_plain(*tensors):
    return not any(t.is_complex() for t in tensors)


@_rule("mm")
def _mm_recorded(a, b):
    def backward(wanted, grad):
        second = _gradient_of_second(grad, a, b) if wanted[1] else None
        return _gradient_of_first(grad, a, b) if wanted[0] else None, second

    return _with_gradients("MmBackward0", [a, b], lambda: _mm(a, b), backward) if _is_plain(a, b) else NotImplemented


@_rule("addmm")
def _addmm_recorded(added, a, b, beta, alpha):
    if beta != 1 or alpha != 1 or not _is_plain(a, b):
        return NotImplemented

    def backward(wanted, grad):
        first = _gradient_of_first(grad, a, b) if wanted[1] else None
        second = _gradient_of_second(grad, a, b) if wanted[2] else None
        return _sum_to_size(grad, list(added.shape)) if wanted[0] else None, first, second

    return _with_gradients("AddmmBackward0", [added, a, b], lambda: _addmm(added, a, b), backward)


def _folded(x):
    return [math.prod(x.shape[:-1]), x.shape[-1]]


@_rule("linear")
def _linear(x, weight, bias):
    if weight.dim() != 2:
        return NotImplemented
    if x.dim() == 2 and bias is not None:
        return _addmm(bias, x, _t(weight))
    if x.dim() > 2 and bias is not None and x.is_contiguous():
        flat = _view(x, _folded(x))
        return _unsafe_view(_addmm(bias, flat, _t(weight)), [*x.shape[:-1], weight.shape[0]])
    result = _matmul(x, _t(weight))
    return result if bias is None or result is NotImplemented else _op("add", "Tensor")(result, bias)


@_rule("matmul")
def _matmul(a, b):
    if not a.numel() or not b.numel():
        return NotImplemented
    if a.dim() == 1 and b.dim() == 1:
        return _dot(a, b)
    if a.dim() == 2 and b.dim() == 1:
        return _mv(a, b)
    if a.dim() == 1 and b.dim() == 2:
        return _op("squeeze_", "dim")(_mm(_unsqueeze(a, 0), b), 0)
    if a.dim() == 2 and b.dim() == 2:
        return _mm(a, b)
    if a.dim() >= 3 and b.dim() <= 2 and a.is_contiguous():
        flat = _view(a, _folded(a))
        if b.dim() == 1:
            return _view(_mv(flat, b), list(a.shape[:-1]))
        return _unsafe_view(_mm(flat, b), [*a.shape[:-1], b.shape[1]])
    if a.dim() >= 3 and b.dim() >= 3:
        batch = list(_rushlight.Builtin("aten::broadcast_tensors", "torch.broadcast_tensors")([
            _rushlight.to_meta(a[..., 0, 0].detach()), _rushlight.to_meta(b[..., 0, 0].detach())
        ])[0].shape) if a.shape[:-2] != b.shape[:-2] else list(a.shape[:-2])
        count = math.prod(batch)
        left = _reshaped(_expand(a, [*batch, *a.shape[-2:]]), [count, *a.shape[-2:]])
        right = _reshaped(_expand(b, [*batch, *b.shape[-2:]]), [count, *b.shape[-2:]])
        return _unsafe_view(_bmm(left, right), [*batch, a.shape[-2], b.shape[-1]])
    return NotImplemented


def _can_view(x, shape):
    """Whether the elements can be shown in another shape where they lie."""
    if x.is_contiguous():
        return True
    sizes, strides = [n for n in x.shape], list(x.stride())
    runs = []
    for size, stride in zip(sizes, strides):
        if size == 1:
            continue
        if runs and runs[-1][1] == stride * size:
            runs[-1] = [runs[-1][0] * size, stride]
        else:
            runs.append([size, stride])
    at, left = 0, runs[0][0] if runs else 1
    for size in shape:
        if size == 1:
            continue
        if left == 1 and at + 1 < len(runs):
            at += 1
            left = runs[at][0]
        if left % size:
            return False
        left //= size
    return True


def _reshaped(x, shape):
    if _can_view(x, shape):
        return _view(x, shape)
    return _unsafe_view(_clone(x, memory_format=_contiguous()), shape)


def _contiguous():
    from .._names import NAMES

    return NAMES["contiguous_format"]


@_rule("reshape")
def _reshape(x, shape):
    shape = list(shape)
    if -1 in shape:
        known = math.prod(n for n in shape if n != -1)
        if not known or x.numel() % known:
            return NotImplemented
        shape[shape.index(-1)] = x.numel() // known
    if math.prod(shape) != x.numel() or not x.numel():
        return NotImplemented
    return _reshaped(x, shape)


@_rule("flatten.using_ints")
def _flatten(x, start, end):
    if not x.dim():
        return _reshape(x, [1])
    start, end = start % x.dim(), end % x.dim()
    if start == end:
        return x
    return _reshape(x, [*x.shape[:start], math.prod(x.shape[start : end + 1]), *x.shape[end + 1 :]])


@_rule("unflatten.int")
def _unflatten(x, dim, sizes):
    dim %= x.dim()
    return _view(x, [*x.shape[:dim], *sizes, *x.shape[dim + 1 :]])


_rule("view_as")(lambda x, other: _view(x, list(other.shape)))
_rule("reshape_as")(lambda x, other: _reshape(x, list(other.shape)))
_rule("expand_as")(lambda x, other: _expand(x, list(other.shape)))
_rule("numpy_T")(lambda x: _permute(x, list(range(x.dim()))[::-1]))
_rule("mT", "adjoint")(lambda x: _op("transpose", "int")(x, -2, -1))
_rule("swapaxes", "swapdims")(lambda x, a, b: _op("transpose", "int")(x, a, b))
_rule("square")(lambda x: _op("pow", "Tensor_Scalar")(x, 2))
_rule("multiply.Tensor")(lambda a, b: _op("mul", "Tensor")(a, b))
_rule("subtract.Tensor")(lambda a, b, alpha: _op("sub", "Tensor")(a, b, alpha=alpha))
_rule("divide.Tensor", "true_divide.Tensor")(lambda a, b: _op("div", "Tensor")(a, b))
_rule("conj")(lambda x: NotImplemented if x.is_complex() else x)
_rule("clip")(lambda x, low, high: _op("clamp")(x, low, high))
_rule("relu6")(lambda x: _op("hardtanh")(x, 0, 6))
_rule("chunk")(lambda x, chunks, dim: _op("split", "Tensor")(x, -(-x.shape[dim] // chunks), dim))
_rule("split.sizes")(lambda x, sizes, dim: _op("split_with_sizes")(x, sizes, dim))
_rule("narrow")(lambda x, dim, start, length: _op("slice", "Tensor")(x, dim, start, start + length))
_rule("tile")(lambda x, dims: _op("repeat")(x, dims))


def _convolution(count):
    def rule(x, weight, bias, stride, padding, dilation, groups):
        if isinstance(padding, str) or x.dim() != count + 2:
            return NotImplemented
        full = [v if len(v) == count else list(v) * count for v in (stride, padding, dilation)]
        return _op("convolution")(x, weight, bias, *full, False, [0] * count, groups)

    return rule


def _transposed(count):
    def rule(x, weight, bias, stride, padding, output_padding, groups, dilation):
        if x.dim() != count + 2:
            return NotImplemented
        stride, padding, output_padding, dilation = (
            v if len(v) == count else list(v) * count for v in (stride, padding, output_padding, dilation)
        )
        return _op("convolution")(x, weight, bias, stride, padding, dilation, True, output_padding, groups)

    return rule


for _count, _input in ((1, ""), (2, ".input"), (3, ".input")):
    RULES[f"aten::conv{_count}d"] = _convolution(_count)
    RULES[f"aten::conv_transpose{_count}d{_input}"] = _transposed(_count)


def _cast(x, dtype):
    return x if dtype is None or x.dtype is dtype else _to_copy(x, dtype=dtype)


_rule("softmax.int")(lambda x, dim, dtype: _op("_softmax")(_cast(x, dtype), dim, False))
_rule("log_softmax.int")(lambda x, dim, dtype: _op("_log_softmax")(_cast(x, dtype), dim, False))


def _reduced(x, reduction):
    return x if reduction == 0 else _op("mean" if reduction == 1 else "sum")(x)


@_rule("cross_entropy_loss")
def _cross_entropy(x, target, weight, reduction, ignore_index, smoothing):
    if target.shape == x.shape and not smoothing and weight is None:
        channel = 0 if x.dim() == 1 else 1
        losses = _op("mul", "Tensor")(_op("_log_softmax")(x, channel, False), target)
        if reduction == 0:
            return _op("neg")(_op("sum", "dim_IntList")(losses, [channel]))
        total = _op("neg")(_op("sum")(losses))
        return _op("div", "Scalar")(total, x.numel() / x.shape[channel]) if reduction == 1 else total
    if target.shape == x.shape or smoothing or x.dim() < 2:
        return NotImplemented
    return _nll(_op("_log_softmax")(x, 1, False), target, weight, reduction, ignore_index)


@_rule("nll_loss", "nll_loss_nd")
def _nll(x, target, weight, reduction, ignore_index):
    if x.dim() not in (1, 2, 4):
        return NotImplemented
    name = "nll_loss2d" if x.dim() == 4 else "nll_loss"
    further = (target, weight, reduction, ignore_index)
    forward = _op(name + "_forward")
    found = _with_gradients(
        "NllLoss2DBackward0" if x.dim() == 4 else "NllLossBackward0", [x], lambda: forward(x, *further),
        lambda wanted, grad, total: [_op(name + "_backward")(grad, x, *further, total)],
    )  # fmt: skip
    return forward(x, *further)[0] if found is NotImplemented else found


@_rule("kl_div")
def _kl_div(x, target, reduction, log_target):
    if log_target:
        part = _op("mul", "Tensor")(_op("exp")(target), _op("sub", "Tensor")(target, x))
    else:
        product = _op("mul", "Tensor")(target, x)
        part = _op("sub", "Tensor")(_op("xlogy", "Tensor")(target, target), product)
    return _reduced(part, reduction)


@_rule("pad")
def _pad(x, pad, mode, value):
    return _op("constant_pad_nd")(x, pad, 0.0 if value is None else value) if mode == "constant" else NotImplemented


@_rule("outer")
def _outer(a, b):
    return _op("mul", "Tensor")(_view(a, [a.shape[0], 1]), b) if a.is_contiguous() else NotImplemented


@_rule("l1_loss")
def _l1(x, target, reduction):
    return _reduced(_op("abs")(_op("sub", "Tensor")(x, target)), reduction)


@_rule("batch_norm")
def _batch_norm(x, weight, bias, mean, var, training, momentum, eps, cudnn):
    _op("empty", "memory_format")([0], dtype=_rushlight.dtype_named("uint8"))
    return _op("native_batch_norm")(x, weight, bias, mean, var, training, momentum, eps)[0]


_rule("layer_norm")(lambda x, shape, weight, bias, eps, cudnn: _op("native_layer_norm")(x, shape, weight, bias, eps)[0])


@_rule("group_norm")
def _group_norm(x, groups, weight, bias, eps, cudnn):
    samples, channels = x.shape[:2]
    return _op("native_group_norm")(x, weight, bias, samples, channels, math.prod(x.shape[2:]), groups, eps)[0]


@_rule("dropout")
def _dropout(x, p, train):
    if not train or p == 0 or not x.numel():
        return x
    if p == 1:
        return _op("mul", "Tensor")(x, _op("zeros_like")(x))
    noise = _op("bernoulli_", "float")(_op("empty_like")(x), 1 - p)
    return _op("mul", "Tensor")(x, _op("div_", "Scalar")(noise, 1 - p))


_rule("max_pool2d")(lambda *args: _op("max_pool2d_with_indices")(*args)[0])
_rule("max_pool3d")(lambda *args: _op("max_pool3d_with_indices")(*args)[0])


@_rule("adaptive_avg_pool2d")
def _adaptive(x, size):
    return _op("mean", "dim")(x, [-1, -2], True) if list(size) == [1, 1] else _op("_adaptive_avg_pool2d")(x, size)


@_rule("broadcast_tensors")
def _broadcast(tensors):
    shapes = {tuple(x.shape) for x in tensors}
    if len(shapes) == 1:
        return list(tensors)
    rank = max(map(len, shapes))
    padded = [(1,) * (rank - len(shape)) + shape for shape in shapes]
    shape = [max(sizes) if 0 not in sizes else 0 for sizes in zip(*padded)]
    return [x if list(x.shape) == shape else _expand(x, shape) for x in tensors]


@_rule("sum_to_size")
def _sum_to_size(x, sizes):
    if list(x.shape) == list(sizes):
        return x
    lead = x.dim() - len(sizes)
    dims = [*range(lead), *(i for i in range(lead, x.dim()) if sizes[i - lead] == 1 and x.shape[i] != 1)]
    summed = _op("sum", "dim_IntList")(x, dims, True)
    return _view(summed, list(sizes)) if lead else summed


@_rule("slice.Tensor")
def _slice(x, dim, start, end, step):
    whole = not start and (end is None or end >= x.shape[dim]) and step == 1
    return x if whole else NotImplemented


def _corrected(unbiased):
    return {} if unbiased else {"correction": 0}


_rule("std")(lambda x, unbiased: _op("std", "correction")(x, **_corrected(unbiased)))
_rule("var")(lambda x, unbiased: _op("var", "correction")(x, **_corrected(unbiased)))
_rule("std.dim")(lambda x, dim, unbiased, keepdim: _op("std", "correction")(x, dim, correction=int(unbiased), keepdim=keepdim))
_rule("var.dim")(lambda x, dim, unbiased, keepdim: _op("var", "correction")(x, dim, correction=int(unbiased), keepdim=keepdim))


def _to(x, dtype=None, copy=False, device=None, memory_format=None):
    same = (dtype is None or dtype is x.dtype) and (device is None or device == x.device)
    if same and not copy and (memory_format is None or memory_format == _contiguous() and x.is_contiguous()):
        return x
    kwargs = {k: v for k, v in (("dtype", dtype), ("device", device)) if v is not None}
    return NotImplemented if memory_format is not None else _to_copy(x, **kwargs)


_rule("to.dtype")(lambda x, dtype, non_blocking, copy, memory_format: _to(x, dtype, copy, None, memory_format))
_rule("to.dtype_layout")(
    lambda x, dtype, layout, device, pin_memory, non_blocking, copy, memory_format: _to(x, dtype, copy, device, memory_format)
)
_rule("to.device")(lambda x, device, dtype, non_blocking, copy, memory_format: _to(x, dtype, copy, device, memory_format))
for _sign in ("and", "or", "xor"):
    for _kind in ("Tensor", "Scalar"):
        _rule(f"__{_sign}__.{_kind}")(_op(f"bitwise_{_sign}", _kind))
        _rule(f"__i{_sign}__.{_kind}")(_op(f"bitwise_{_sign}_", _kind))
_rule("to.other")(lambda x, other, non_blocking, copy, memory_format: _to(x, other.dtype, copy, other.device, memory_format))


@_rule("to.prim_Device")
def _to_device(x, device, dtype, non_blocking, copy):
    if dtype is not None or not copy and (device is None or device == x.device):
        return _to(x, dtype, copy, device)
    return _to_copy(x, dtype=x.dtype, layout=x.layout, device=x.device if device is None else device)


_rule("to.prim_dtype")(lambda x, dtype, non_blocking, copy: _to(x, dtype, copy))


@_rule("type_as")
def _of_type(x, other):
    if x.dtype is other.dtype and x.device == other.device:
        return x
    return _to_copy(x, dtype=other.dtype, layout=other.layout, device=other.device)


@_rule("isfinite")
def _is_finite(x):
    if not x.is_floating_point():
        return NotImplemented
    apart = _op("ne", "Scalar")(_op("abs")(x), math.inf)
    return _op("mul", "Tensor")(_op("eq", "Tensor")(x, x), apart)


@_rule("contiguous")
def _contiguous_of(x, memory_format):
    return x if x.is_contiguous() and memory_format == _contiguous() else _clone(x, memory_format=memory_format)


def kept_gradient(x):
    """What keeps a gradient as ``.grad``: it is taken as it is where nobody else can see its memory; what comes back is a copy all the same."""
    if x.is_contiguous():
        return _op("detach")(x)
    kept = _op("new_empty_strided")(x, list(x.shape), list(_strides_of(x.shape)))
    return _op("copy_")(kept, x)


def _strides_of(shape):
    strides, size = [], 1
    for n in reversed(shape):
        strides.append(size)
        size *= max(n, 1)
    return strides[::-1]
