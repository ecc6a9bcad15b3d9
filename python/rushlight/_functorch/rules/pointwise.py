"""Operators that work element by element and broadcast, in place too."""

import rushlight as _torch

from .._batched import IN_PLACE
from ._common import Batched, Tensor, Unfit, batched_at, front, padded, rule, wrap

_UNARY = """
abs absolute acos acosh arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh angle bitwise_not ceil celu clone
conj conj_physical contiguous cos cosh deg2rad detach digamma elu erf erfc erfinv exp exp2 expm1 fix floor frac
gelu hardshrink hardsigmoid hardswish hardtanh i0 imag isfinite isinf isnan isneginf isposinf isreal leaky_relu lgamma log log10
log1p log2 log_sigmoid logical_not logit mish mvlgamma nan_to_num neg negative positive rad2deg real reciprocal relu relu6
resolve_conj resolve_neg round rsqrt selu sgn sigmoid sign signbit silu sin sinc sinh softplus softshrink sqrt square tan tanh
threshold trunc type alias lift_fresh special_airy_ai special_bessel_j0 special_bessel_j1 special_bessel_y0 special_bessel_y1
special_digamma special_entr special_erf special_erfc special_erfcx special_erfinv special_exp2 special_expit special_expm1
special_gammaln special_i0 special_i0e special_i1 special_i1e special_log1p special_log_ndtr special_logit
special_modified_bessel_i0 special_modified_bessel_i1 special_modified_bessel_k0 special_modified_bessel_k1
special_multigammaln special_ndtr special_ndtri special_psi special_round special_scaled_modified_bessel_k0
special_scaled_modified_bessel_k1 special_sinc special_spherical_bessel_j0 float double half bfloat16 int long short char byte
bool cfloat cdouble chalf zeros_like ones_like full_like empty_like _to_copy
"""
_SEVERAL = """
add sub subtract mul multiply div divide true_divide floor_divide remainder fmod pow float_power atan2 arctan2 bitwise_and
bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift __and__ __or__ __xor__ __lshift__ __rshift__ copysign eq ne lt le
gt ge greater greater_equal less less_equal not_equal fmax fmin maximum minimum gcd lcm heaviside hypot igamma igammac
isclose ldexp lerp logaddexp logaddexp2 logical_and logical_or logical_xor nextafter rsub xlogy special_xlogy special_xlog1py
special_zeta special_gammainc special_gammaincc where masked_fill clamp clip clamp_min clamp_max addcmul addcdiv polar complex
threshold_backward leaky_relu_backward hardtanh_backward hardsigmoid_backward hardswish_backward softshrink_backward
hardshrink_backward elu_backward silu_backward mish_backward softplus_backward gelu_backward sigmoid_backward tanh_backward
log_sigmoid_backward
polygamma special_polygamma special_chebyshev_polynomial_t special_chebyshev_polynomial_u special_chebyshev_polynomial_v
special_chebyshev_polynomial_w special_hermite_polynomial_h special_hermite_polynomial_he special_laguerre_polynomial_l
special_legendre_polynomial_p special_shifted_chebyshev_polynomial_t special_shifted_chebyshev_polynomial_u
special_shifted_chebyshev_polynomial_v special_shifted_chebyshev_polynomial_w fill
"""
_WRITTEN_ONLY = "zero_ fill_ copy_ masked_fill_ clamp_ clip_ "


def _numbers_only(objects):
    return not any(isinstance(obj, (Tensor, list, tuple)) for obj in objects)


def _common_dtype(tensors):
    """The dtype of a result of samples, where samples without dimensions count less than others."""
    dtypes = {t.dtype for t in tensors}
    if len(dtypes) < 2:
        return None
    groups = [[t.dtype for t in tensors if t.dim() > 0], [t.dtype for t in tensors if t.dim() == 0]]
    if not groups[0] or not groups[1]:
        return None
    stands = [_torch.zeros([1] * (t.dim() > 0), dtype=t.dtype) for t in tensors]
    found = stands[0]
    for other in stands[1:]:
        wanted = _torch.result_type(found, other)
        found = _torch.zeros([1] * max(found.dim(), other.dim()), dtype=wanted)
    return found.dtype


def aligned(level, args, promote=True):
    """The tensors among arguments with all samples first, so that they broadcast as single samples do."""
    tensors = [a for a in args if isinstance(a, Tensor)]
    rank = max(t.dim() for t in tensors)
    common = _common_dtype(tensors) if promote and len(tensors) > 1 else None
    out = []
    for arg in args:
        if batched_at(arg, level):
            arg = padded(front(arg), rank)
            if common is not None and not arg.dtype == _torch.bool:
                arg = arg.to(common)
        elif common is not None and isinstance(arg, Tensor) and arg.dtype != _torch.bool:
            arg = arg.to(common)
        out.append(arg)
    return out


@rule(*_UNARY.split())
def unary(level, call, args, kwargs):
    """One tensor, and the result has its sizes."""
    first = args[0] if args else kwargs.get("input")
    if batched_at(first, level) and _numbers_only(args[1:]) and _numbers_only(v for k, v in kwargs.items() if k != "input"):
        rest = {k: v for k, v in kwargs.items() if k != "input"}
        return wrap(call(first.value, *args[1:], **rest), level, first.bdim)
    return several(level, call, args, kwargs)


@rule(*_SEVERAL.split())
def several(level, call, args, kwargs):
    """Tensors that are broadcast together."""
    if len(args) == 2 and not kwargs:
        first, second = args
        # The most common case: both batched alike, or one of them and a number.
        if type(first) is Batched and first.level is level:
            if type(second) is Batched:
                if second.level is level and first.value.dim() == second.value.dim() and first.bdim == second.bdim:
                    return wrap(call(first.value, second.value), level, first.bdim)
            elif not isinstance(second, (Tensor, list, tuple)):
                return wrap(call(first.value, second), level, first.bdim)
    keys = list(kwargs)
    values = list(args) + [kwargs[k] for k in keys]
    if any(isinstance(v, (list, tuple)) for v in values):
        raise Unfit
    values = aligned(level, values)
    count = len(args)
    return wrap(call(*values[:count], **dict(zip(keys, values[count:]))), level)


def in_place(level, call, args, kwargs):
    """Operators that write their first argument."""
    target = args[0]
    others = [*args[1:], *kwargs.values()]
    if any(isinstance(o, Tensor) and o.dim() > target.dim() for o in others):
        raise Unfit
    if not any(isinstance(o, Tensor) for o in others):
        call(target.value, *args[1:], **kwargs)
        return target
    keys = list(kwargs)
    values = aligned(level, [target, *others], promote=False)
    written = front(target)
    # One tensor is the target itself: a view of its memory, with all samples first.
    if values[0].dim() != written.dim():
        raise Unfit
    count = len(args)
    call(written, *values[1:count], **dict(zip(keys, values[count:])))
    return target


_NAMES = set(_UNARY.split()) | set(_SEVERAL.split())
rule(*(name + "_" for name in _NAMES), *_WRITTEN_ONLY.split())(in_place)
rule(*(f"__{name}__" for name in IN_PLACE))(in_place)


@rule("to")
def to(level, call, args, kwargs):
    """A tensor in another dtype, or in that of another tensor."""
    args = [a.dtype if i and isinstance(a, Tensor) else a for i, a in enumerate(args)]
    kwargs = {("dtype" if isinstance(v, Tensor) else k): (v.dtype if isinstance(v, Tensor) else v) for k, v in kwargs.items()}
    return unary(level, call, args, kwargs)


@rule("type_as")
def type_as(level, call, args, kwargs):
    """A tensor in the dtype of another."""
    first, second = args
    return first.to(second.dtype)


@rule("expand_as")
def expand_as(level, call, args, kwargs):
    """A tensor in the sizes of another."""
    return args[0].expand(args[1].shape)


@rule("view_as", "reshape_as")
def view_as(level, call, args, kwargs):
    """A tensor in the sizes of another."""
    return args[0].reshape(args[1].shape)
