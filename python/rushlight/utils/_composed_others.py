"""Operators by others that modes see in their place: choices by numbers, norms, decompositions, pools of one dimension, resizing."""

import math

from .. import _rushlight
from ._compositions import _cast, _op, _permute, _reshape, _rule, _unsqueeze

_squeeze = _op("squeeze", "dim")


def _number(value, condition, like=None):
    dtype = like.dtype if like is not None else _rushlight.get_default_dtype()
    return _op("scalar_tensor")(value, dtype=dtype, layout=condition.layout, device=condition.device)


def _kept_dtype(x, value):
    """Whether a number next to a tensor leaves the tensor's dtype."""
    if isinstance(value, bool):
        return True
    if isinstance(value, int):
        return x.dtype is not _rushlight.dtype_named("bool")
    return x.is_floating_point() and isinstance(value, float)


_where = _op("where", "self")


@_rule("where.ScalarOther")
def _where_other(condition, x, value):
    return _where(condition, x, _number(value, condition, x)) if _kept_dtype(x, value) else NotImplemented


@_rule("where.ScalarSelf")
def _where_self(condition, value, x):
    return _where(condition, _number(value, condition, x), x) if _kept_dtype(x, value) else NotImplemented


@_rule("where.Scalar")
def _where_numbers(condition, a, b):
    if not (isinstance(a, float) and isinstance(b, float)):
        return NotImplemented
    return _where(condition, _number(a, condition), _number(b, condition))


_vector_norm = _op("linalg_vector_norm")


def _norm_of(x, order, dim, keepdim, dtype):
    further = {} if dtype is None else {"dtype": dtype}
    if dim is None and not keepdim:
        return _vector_norm(x, order, **further)
    return _vector_norm(x, order, dim, keepdim, **further)


@_rule("linalg_norm")
def _norm(x, order, dim, keepdim, dtype):
    if order is None:
        return _norm_of(x, 2, dim, keepdim, dtype)
    if (dim is None and x.dim() == 1) or (dim is not None and len(dim) == 1):
        return _norm_of(x, order, dim, keepdim, dtype)
    return NotImplemented


@_rule("linalg_norm.ord_str")
def _norm_by_name(x, order, dim, keepdim, dtype):
    if order != "fro" or (dim is None and x.dim() != 2):
        return NotImplemented
    return _norm_of(x, 2, [0, 1] if dim is None else dim, keepdim, dtype)


@_rule("linalg_matrix_norm.str_ord")
def _matrix_norm(x, order, dim, keepdim, dtype):
    return _norm_of(x, 2, dim, keepdim, dtype) if order == "fro" and x.dim() >= 2 else NotImplemented


@_rule("cdist")
def _cdist(a, b, p, mode):
    if a.dim() < 2 or b.dim() < 2 or not a.numel() or not b.numel() or a.shape[-1] != b.shape[-1]:
        return NotImplemented
    return _op("_cdist_forward")(a, b, p, mode)


_rule("pdist")(lambda x, p: _op("_pdist_forward")(x, p) if x.dim() == 2 else NotImplemented)


@_rule("bilinear")
def _bilinear(a, b, weight, bias):
    if weight.dim() != 3 or a.shape[:-1] != b.shape[:-1] or not a.numel():
        return NotImplemented
    left, right = (_reshape(x, [math.prod(x.shape[:-1]), x.shape[-1]]) for x in (a, b))
    found = _op("_trilinear")(left, weight, right, [1, 3], [0], [1, 2], [2, 3])
    found = _reshape(found, [*a.shape[:-1], weight.shape[0]])
    return found if bias is None else _op("add", "Tensor")(found, bias)


@_rule("kron")
def _kron(a, b):
    rank = max(a.dim(), b.dim())
    if not a.numel() or not b.numel():
        return NotImplemented
    sizes = [[1] * (rank - x.dim()) + list(x.shape) for x in (a, b)]
    left, right = ([m for n in size for m in ((n, 1) if first else (1, n))] for size, first in zip(sizes, (True, False)))
    shown = _op("_unsafe_view") if a.is_contiguous() and b.is_contiguous() else _reshape
    product = _op("mul", "Tensor")(shown(a, left), shown(b, right))
    return _op("_unsafe_view")(product, [m * n for m, n in zip(*sizes)])


@_rule("diff")
def _diff(x, n, dim, before, after):
    if before is not None or after is not None or n < 1 or not x.dim() or x.shape[dim] <= n or x.dtype is _rushlight.dtype_named("bool"):
        return NotImplemented
    part = _op("slice", "Tensor")
    for _ in range(n):
        size = x.shape[dim]
        x = _op("sub", "Tensor")(part(x, dim, 1, size), part(x, dim, 0, size - 1))
    return x


_rule("hstack")(lambda tensors: _op("cat")(tensors, 0 if tensors[0].dim() == 1 else 1) if all(x.dim() for x in tensors) else NotImplemented)
_rule("vstack")(lambda tensors: _op("cat")(tensors) if all(x.dim() > 1 for x in tensors) else NotImplemented)
_rule("ger")(lambda a, b: _op("outer")(a, b))
_rule("argwhere")(lambda x: _op("nonzero")(x) if x.dim() else NotImplemented)
_rule("ravel")(lambda x: _reshape(x, [x.numel()]))
_rule("matrix_H")(lambda x: NotImplemented if x.is_complex() or x.dim() != 2 else _op("transpose", "int")(x, 0, 1))
_rule("selu")(lambda x: _op("elu")(x, 1.6732632423543772, 1.0507009873554805))
_rule("log_sigmoid")(lambda x: _op("log_sigmoid_forward")(x)[0])
_rule("matrix_exp")(lambda x: _op("linalg_matrix_exp")(x))
_rule("diag")(lambda x, offset: _op("diagonal_copy")(x, offset) if x.dim() == 2 else _op("diag_embed")(x, offset))


@_rule("movedim.intlist", "moveaxis.intlist")
def _movedim(x, source, target):
    rank = x.dim()
    source, target = [d % rank for d in source], [d % rank for d in target]
    if len(source) != len(target) or len(set(source)) != len(source) or len(set(target)) != len(target):
        return NotImplemented
    rest = iter(d for d in range(rank) if d not in source)
    return _permute(x, [source[target.index(d)] if d in target else next(rest) for d in range(rank)])


_rule("movedim.int", "moveaxis.int")(lambda x, source, target: _movedim(x, [source], [target]) if x.dim() else NotImplemented)


@_rule("float_power.Tensor_Scalar")
def _float_power(x, exponent):
    double = _rushlight.dtype_named("float64")
    return NotImplemented if x.is_complex() or isinstance(exponent, complex) else _op("pow", "Tensor_Scalar")(_cast(x, double), exponent)


@_rule("prelu")
def _prelu(x, weight):
    if weight.dim() > 1:
        return NotImplemented
    if x.dim() != weight.dim() or weight.numel() == 1:
        shape = [1] * x.dim()
        if x.dim() > 1:
            shape[1] = weight.numel()
        elif x.dim() == 1:
            shape[0] = weight.numel()
        weight = _reshape(weight, shape) if x.dim() else weight
    return _op("_prelu_kernel")(x, weight)


def _with_first(number, sizes):
    return [number, *sizes] if sizes else sizes


# Pools of one dimension are those of two, of which one has the size 1.


def _flat_pool(name, *numbers):
    """A rule that pools rows: `numbers` are what the other dimension has for each list of sizes."""
    pool = _op(name)

    def rule(x, *args):
        if x.dim() not in (2, 3):
            return NotImplemented
        lists = iter(numbers)
        args = [_with_first(next(lists), value) if isinstance(value, (list, tuple)) else value for value in args]
        found = pool(_unsqueeze(x, -2), *args)
        if isinstance(found, tuple):
            return tuple(_squeeze(part, -2) for part in found)
        return _squeeze(found, -2)

    return rule


_rule("adaptive_avg_pool1d")(_flat_pool("_adaptive_avg_pool2d", 1))
_rule("adaptive_max_pool1d")(_flat_pool("adaptive_max_pool2d", 1))
_rule("avg_pool1d")(_flat_pool("avg_pool2d", 1, 1, 0))
_rule("max_pool1d_with_indices")(_flat_pool("max_pool2d_with_indices", 1, 1, 0, 1))
_rule("max_pool1d")(lambda x, *args: _pooled(x, args))


def _pooled(x, args):
    found = _flat_pool("max_pool2d_with_indices", 1, 1, 0, 1)(x, *args)
    return found if found is NotImplemented else found[0]


@_rule("rms_norm")
def _rms_norm(x, shape, weight, eps):
    if x.dtype is not _rushlight.dtype_named("float32") or list(x.shape[x.dim() - len(shape) :]) != list(shape):
        return NotImplemented
    dims = list(range(x.dim() - len(shape), x.dim()))
    mean = _op("mean", "dim")(_op("pow", "Tensor_Scalar")(x, 2), dims, True)
    root = _op("rsqrt")(_op("add_", "Scalar")(mean, 1.1920928955078125e-07 if eps is None else eps))
    found = _op("mul", "Tensor")(x, root)
    return found if weight is None else _op("mul", "Tensor")(found, weight)


@_rule("grid_sampler")
def _grid_sampler(x, grid, mode, padding, corners):
    return _op("grid_sampler_2d")(x, grid, mode, padding, corners) if x.dim() == grid.dim() == 4 else NotImplemented


def _resized(name, count):
    resize = _op(name)

    def rule(x, sizes, *further):
        factors = further[-1]
        if x.dim() != count + 2 or (sizes is None) == (factors is None):
            return NotImplemented
        if sizes is None:
            sizes = [math.floor(n * factor) for n, factor in zip(x.shape[2:], factors)]
        return resize(x, sizes, *further[:-1], *(factors or []))

    return rule


for _name in (
    "upsample_nearest1d", "upsample_nearest2d", "upsample_nearest3d", "upsample_linear1d", "upsample_bilinear2d", "upsample_bicubic2d",
    "upsample_trilinear3d",
):  # fmt: skip
    _rule(_name + ".vec")(_resized(_name, int(_name[-2])))


def _padded(x, pad, mode, value):
    count = len(pad) // 2
    if mode == "constant":
        return _op("constant_pad_nd")(x, pad, 0.0 if value is None else value)
    if mode not in ("reflect", "replicate") or not 1 <= count <= 3 or x.dim() not in (count + 1, count + 2):
        return NotImplemented
    return _op(f"{'reflection' if mode == 'reflect' else 'replication'}_pad{count}d")(x, pad)


_rule("pad")(_padded)

def _is_square(x):
    return x.dim() >= 2 and x.shape[-1] == x.shape[-2] and (x.is_floating_point() or x.is_complex())


_rule("det", "linalg_det")(lambda x: _op("_linalg_det")(x)[0] if _is_square(x) and x.numel() else NotImplemented)
