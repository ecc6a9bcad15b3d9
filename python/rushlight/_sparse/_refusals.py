"""The words in which calls that a layout does not have are refused: they name the operator that the reference stumbles on."""

from ._tensor import COO, Tensor, _LAYOUT_NAMES


def _pairs(text):
    return dict(pair.split(":") for pair in text.split())


# Names of operators in refusals, where those are not the names of the functions.
_CALLED = _pairs(
    "allclose:eq.Tensor arccos:acos arccosh:acosh arctan2:atan2 argsort:sort.stable argwhere:nonzero "
    "bitwise_and:bitwise_and.Tensor bitwise_left_shift:bitwise_left_shift.Tensor bitwise_or:bitwise_or.Tensor "
    "bitwise_right_shift:bitwise_right_shift.Tensor bitwise_xor:bitwise_xor.Tensor chunk:as_strided clip:clamp copysign:copysign.Tensor "
    "count_nonzero:count_nonzero.dim_IntList cross:linalg_cross cummax:_cummax_helper cummin:_cummin_helper dequantize:dequantize.self "
    "det:_linalg_det diag:diagonal_copy diagonal:as_strided fliplr:flip flipud:flip float_power:pow.Tensor_Tensor "
    "fmod:fmod.Tensor frexp:frexp.Tensor_out full_like:fill_.Scalar greater:gt greater_equal:ge hsplit:as_strided index:index.Tensor "
    "inverse:linalg_inv_ex isclose:eq.Tensor isfinite:ne.Scalar kthvalue:kthvalue.values lerp:lerp.Scalar less:lt less_equal:le "
    "log_softmax:_log_softmax logcumsumexp:_logcumsumexp logical_and:logical_and.out logical_not:logical_not.out "
    "logical_or:logical_or.out logical_xor:logical_xor.out logsumexp:logsumexp.out lu:linalg_lu_factor_ex matrix_exp:linalg_matrix_exp "
    "mean:mean.dim msort:sort.stable nanmean:ne.Tensor narrow:as_strided new_ones:fill_.Scalar not_equal:ne polygamma:polygamma.out "
    "pow:pow.Tensor_Tensor rand:uniform_ rand_like:uniform_ randn:normal_ randn_like:normal_ relu6:hardtanh masked_fill:masked_fill.Scalar remainder:remainder.Tensor "
    "rot90:flip slice:as_strided slogdet:_linalg_slogdet softmax:_softmax sort:sort.stable split:as_strided squeeze:as_strided "
    "std:std.correction svd:_linalg_svd tensor_split:as_strided unique:_unique2 var:var.correction view_as:view "
    "vsplit:as_strided where:where.self xlogy:xlogy.Tensor arange:arange.start_out eye:eye.m_out"
)
# Of these there are two, for numbers and for tensors.
_COMPARING = frozenset("eq ne lt le gt ge".split())
_CLAMPING = frozenset("clamp clamp_min clamp_max".split())
# Of these there is another one for one dimension.
_OVER = _pairs("all:all.dim any:any.dim max:max.dim min:min.dim median:median.dim_values nanmedian:nanmedian.dim_values prod:prod.dim_int")
_OF_TWO = {"max": "maximum", "min": "minimum"}

# What compressed layouts refuse in other words: functions of single elements, what takes strides, and what has an ``out``.
_ELEMENTWISE = frozenset(
    """acos acosh addcdiv addcmul allclose arccos arccosh arctan2 atan2 bitwise_and bitwise_left_shift bitwise_not bitwise_or
    bitwise_right_shift bitwise_xor clamp clamp_max clamp_min clip copysign cos cosh digamma dist div divide eq erfc exp exp2 float_power
    fmax fmin fmod gcd ge greater greater_equal gt hardshrink heaviside hypot i0 igamma igammac isclose isfinite lcm le less
    less_equal lgamma log log10 log2 logaddexp logaddexp2 lt maximum minimum nanmean ne nextafter not_equal polygamma pow
    reciprocal remainder rsqrt sigmoid sinc square sub subtract true_divide xlogy""".split()
)
_STRIDED = frozenset(
    """argsort chunk diag diag_embed diagonal diff hsplit index index_add index_copy kron msort narrow narrow_copy repeat_interleave slice
    sort split squeeze tensor_split unfold unsqueeze vsplit""".split()
)
_WITH_OUT = _pairs(
    "all:all.all_out amax:amax.out amin:amin.out any:any.all_out argmax:argmax.out argmin:argmin.out bmm:bmm.out cross:linalg_cross.out "
    "cumprod:cumprod.out cumsum:cumsum.out log_softmax:_log_softmax.out mean:mean.out nan_to_num:nan_to_num.out norm:norm.out "
    "softmax:_softmax.out topk:topk.values tril:tril.out triu:triu.out"
)
_SHAPED = frozenset("cat concat concatenate stack vstack hstack contiguous is_contiguous reshape".split())


def _called(name, args):
    """The name of an operator in a refusal, by what follows the tensor."""
    plain = name.removesuffix("_")
    called = _CALLED.get(plain, plain)
    further = args[1:]
    with_tensor = any(isinstance(arg, Tensor) for arg in further)
    if plain in _OVER and further:
        called = _OF_TWO[plain] if with_tensor and plain in _OF_TWO else _OVER[plain]
    if called in _COMPARING:
        called += ".Tensor" if with_tensor else ".Scalar"
    elif called in _CLAMPING and with_tensor:
        called += ".Tensor"
    elif plain == "scatter":
        called = "scatter.src" if isinstance(args[-1], Tensor) else "scatter.value"
    elif plain == "fill":
        called = "fill.Tensor" if with_tensor else "fill.Scalar"
    if name == plain or "out" in called:
        return called
    # In place.
    stem, dot, overload = called.partition(".")
    return f"{stem}_{dot}{overload}" if not stem.endswith("_") else called


def refuse(operator, layout, args=()):
    """Raises what calls of an operator that a layout does not have raise."""
    name = operator.removeprefix("aten::")
    plain = name.removesuffix("_")
    called = None
    if layout != COO:
        kind = _LAYOUT_NAMES[layout]
        if plain in _ELEMENTWISE or plain in _OF_TWO and any(isinstance(arg, Tensor) for arg in args[1:]):
            raise RuntimeError(f"unsupported tensor layout: {kind}")
        if plain in _STRIDED:
            raise RuntimeError(f"Sparse {kind[-3:].upper()} tensors do not have strides")
        if plain in _SHAPED:
            raise RuntimeError(f"Sparse {kind[-3:].upper()} tensors do not have is_contiguous")
        called = _WITH_OUT.get(plain)
    elif name in ("masked_fill", "diagflat", "ravel"):
        raise RuntimeError("unsupported memory format option Contiguous")
    elif name == "bernoulli":
        raise RuntimeError("memory format option is only supported by strided tensors")
    elif name == "index_fill":
        raise RuntimeError("unsupported memory format option Preserve")
    raise NotImplementedError(
        f"Could not run 'aten::{called or _called(name, args)}' with arguments from the '{'SparseCPU' if layout == COO else 'SparseCsrCPU'}' "
        "backend. This could be because the operator doesn't exist for this backend, or was omitted during the selective/custom build "
        "process (if using custom build). Sparse tensors have no such operator here; to_dense() makes a dense one."
    )
