"""Operators of which the reference says that they go sample by sample under ``vmap``. Here many of them have rules; programs that
record warnings see the same ones."""

import warnings

from .. import _rushlight
from .._once import outside

Tensor = _rushlight.Tensor

_ONE_OVERLOAD = set(
    "addcdiv_ addcmul_ addmm_ addmv_ addr_ affine_grid_generator as_strided_ baddbmm_ bincount conv_tbc cumprod_ cumsum_ embedding_renorm_ "
    "equal fake_quantize_per_tensor_affine fill_diagonal_ fractional_max_pool2d heaviside_ histc hypot_ igamma_ igammac_ index_copy_ "
    "index_reduce index_reduce_ isclose istft kl_div ldexp_ linalg_tensorsolve margin_ranking_loss masked_scatter masked_scatter_ "
    "max_unpool2d max_unpool3d multi_margin_loss multilabel_margin_loss nextafter_ nonzero_static ormqr pdist polygamma_ put put_ "
    "quantize_per_tensor renorm renorm_ resize_as_ segment_reduce soft_margin_loss special_airy_ai special_log_ndtr square_ stft take tril_ "
    "triplet_margin_loss triu_ vander".split()
)
# Those whose overload says whether the other operand is a tensor.
_BY_OPERAND = set("eq_ ne_ lt_ le_ gt_ ge_ fmod_ remainder_ float_power_".split())
_POLYNOMIALS = {
    "special_" + name for name in (
        "hermite_polynomial_h", "hermite_polynomial_he", "laguerre_polynomial_l", "legendre_polynomial_p",
        *(shift + "chebyshev_polynomial_" + kind for shift in ("", "shifted_") for kind in "tuvw"),
    )
}  # fmt: skip


def _is_tensor(args, place):
    return len(args) > place and isinstance(args[place], Tensor)


def _tensor_or(scalar):
    return lambda args, kwargs: ".Tensor" if _is_tensor(args, 1) else scalar


def _quantile(args, kwargs):
    return "" if _is_tensor(args, 1) or isinstance(kwargs.get("q"), Tensor) else ".scalar"


def _isin(args, kwargs):
    return "." + "_".join("Tensor" if _is_tensor(args, place) else "Scalar" for place in (0, 1))


def _polynomial(args, kwargs):
    return "" if _is_tensor(args, 1) else ".n_scalar"


# The overload of a call, None where none is announced.
_OVERLOADS = {
    "clamp_": lambda args, kwargs: ".Tensor" if _is_tensor(args, 1) or _is_tensor(args, 2) else "",
    "ctc_loss": lambda args, kwargs: ".Tensor" if _is_tensor(args, 2) else ".IntList",
    "embedding_bag": lambda args, kwargs: ".padding_idx",
    "floor_divide_": lambda args, kwargs: ".Tensor",
    "histogram": lambda args, kwargs: ".bins_tensor" if _is_tensor(args, 1) else ".bin_ct",
    "isin": _isin,
    "lerp_": lambda args, kwargs: ".Tensor" if _is_tensor(args, 2) else ".Scalar",
    "pow_": lambda args, kwargs: ".Tensor" if _is_tensor(args, 1) else None,
    "quantile": _quantile,
    "nanquantile": _quantile,
    "xlogy_": _tensor_or(".Scalar_Other"),
    **{name: _tensor_or(".Scalar") for name in _BY_OPERAND},
    **{name: _polynomial for name in _POLYNOMIALS},
}

# What ``torch._C._functorch._set_vmap_fallback_warning_enabled`` and ``_set_vmap_fallback_enabled`` set.
warnings_enabled = [True]
enabled = [True]


def announce(name, args, kwargs):
    """Warns that an operator is slow, if the reference does, or refuses it where a program asked for that."""
    base = name.removeprefix("aten::")
    if base in _ONE_OVERLOAD:
        overload = ""
    elif base in _OVERLOADS:
        overload = _OVERLOADS[base](args, kwargs)
    else:
        return
    if overload is None:
        return
    if not enabled[0]:
        raise RuntimeError(f"aten::{base}{overload} hit the vmap fallback which is currently disabled")
    if not warnings_enabled[0]:
        return
    warnings.warn(
        f"There is a performance drop because we have not yet implemented the batching rule for aten::{base}{overload}. Please file us an "
        "issue on GitHub so that we can prioritize its implementation.",
        stacklevel=outside(),
    )
