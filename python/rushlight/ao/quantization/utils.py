"""What the parts of quantization share: ranges of integers, kinds of schemes, what a configuration asks for."""

import functools
import warnings

import rushlight as torch

from ..._library import publish
from .quant_type import QuantType

__all__ = [
    "MatchAllNode", "activation_dtype", "weight_dtype", "check_min_max_valid", "calculate_qmin_qmax", "determine_qparams", "get_combined_dict",
    "is_per_tensor", "is_per_channel", "getattr_from_fqn", "get_qparam_dict", "get_swapped_custom_module_class",
    "activation_is_statically_quantized", "activation_is_dynamically_quantized", "activation_is_int8_quantized",
    "activation_is_int32_quantized", "weight_is_quantized", "weight_is_statically_quantized",
    "op_is_int8_dynamically_quantized", "get_qconfig_dtypes", "get_quant_type", "has_no_children_ignoring_parametrizations",
    "to_underlying_dtype", "validate_qmin_qmax", "get_fqn_to_example_inputs", "DEPRECATION_WARNING",
]

DEPRECATION_WARNING = (
    "torch.ao.quantization is deprecated and will be removed in 2.10. \n"
    "For migrations of users: \n"
    "1. Eager mode quantization (torch.ao.quantization.quantize, torch.ao.quantization.quantize_dynamic), please migrate to use "
    "torchao eager mode quantize_ API instead \n"
    "2. FX graph mode quantization (torch.ao.quantization.quantize_fx.prepare_fx,torch.ao.quantization.quantize_fx.convert_fx, "
    "please migrate to use torchao pt2e quantization API instead (prepare_pt2e, convert_pt2e) \n"
    "3. pt2e quantization has been migrated to torchao (https://github.com/pytorch/ao/tree/main/torchao/quantization/pt2e) \n"
    "see https://github.com/pytorch/ao/issues/2259 for more details"
)


def deprecated(function):
    """A function that says, when it is called, that quantization is to move out of the library."""

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        warnings.warn(DEPRECATION_WARNING, DeprecationWarning, stacklevel=2)
        return function(*args, **kwargs)

    wrapper.__deprecated__ = DEPRECATION_WARNING
    return wrapper


class MatchAllNode:
    """Stands for any node of a pattern."""


# The integers behind the kinds of quantized numbers, and the range that a kind has where nothing else is said.
_UNDERLYING = {torch.quint8: torch.uint8, torch.qint8: torch.int8, torch.qint32: torch.int32}
_PLAIN = (torch.uint8, torch.int8, torch.uint16, torch.int16, torch.int32)


def to_underlying_dtype(qdtype):
    """The dtype of the integers of a quantized dtype."""
    if qdtype not in _UNDERLYING and qdtype not in _PLAIN:
        raise AssertionError("Unsupported dtype: " + str(qdtype))
    return _UNDERLYING.get(qdtype, qdtype)


def get_combined_dict(default_dict, additional_dict):
    """A dictionary with the entries of both, the second's where both have one."""
    return {**default_dict, **additional_dict}


def is_per_tensor(qscheme):
    """Whether a scheme has one scale."""
    return qscheme in (torch.per_tensor_affine, torch.per_tensor_symmetric)


def is_per_channel(qscheme):
    """Whether a scheme has a scale for every channel."""
    return qscheme in (torch.per_channel_affine, torch.per_channel_affine_float_qparams, torch.per_channel_symmetric)


def getattr_from_fqn(obj, fqn):
    """The attribute under a dotted path."""
    return functools.reduce(getattr, fqn.split("."), obj)


def get_qparam_dict(observer_or_fake_quant):
    """What is needed to quantize with an observer: its scheme, dtype, range and, where they are known, scale and zero point."""
    found = {
        "qscheme": getattr(observer_or_fake_quant, "qscheme", None),
        "dtype": observer_or_fake_quant.dtype,
    }
    if found["qscheme"] is None or is_per_channel(found["qscheme"]) and not hasattr(observer_or_fake_quant, "ch_axis"):
        return {**found, "qscheme": None}
    if is_per_tensor(found["qscheme"]):
        found["qscheme"] = torch.per_tensor_affine
    else:
        if found["qscheme"] == torch.per_channel_symmetric:
            found["qscheme"] = torch.per_channel_affine
        found["axis"] = observer_or_fake_quant.ch_axis
    found["scale"], found["zero_point"] = observer_or_fake_quant.calculate_qparams()
    for name in ("quant_min", "quant_max"):
        if hasattr(observer_or_fake_quant, name):
            found[name] = getattr(observer_or_fake_quant, name)
    return found


def get_swapped_custom_module_class(custom_module, custom_module_class_mapping, qconfig):
    """The class that stands for a custom module, where a mapping, by the kind of quantization, has one."""
    quant_type = get_quant_type(qconfig)
    of_kind = custom_module_class_mapping.get(quant_type, {})
    if type(custom_module) not in of_kind:
        raise AssertionError(
            f"did not find corresponding observed module class for {type(custom_module)} in mapping: {of_kind}"
        )
    return of_kind[type(custom_module)]


def activation_dtype(qconfig):
    """The dtype of activations."""
    return qconfig.activation().dtype


def weight_dtype(qconfig):
    """The dtype of weights."""
    return qconfig.weight().dtype


_STATIC = (torch.quint8, torch.qint8, torch.qint32, torch.float16, torch.uint8, torch.int8, torch.int16, torch.int32)
_DYNAMIC = (torch.quint8, torch.qint8, torch.float16, torch.uint8, torch.int8)
_INT8 = (torch.quint8, torch.qint8, torch.uint8, torch.int8)
_WEIGHT = (torch.quint8, torch.qint8, torch.float16, torch.quint4x2, torch.uint8, torch.int8, torch.int16, torch.int32)


def activation_is_statically_quantized(qconfig):
    """Whether activations are quantized with scales that are known before."""
    kind, dynamic = get_qconfig_dtypes(qconfig)[0], get_qconfig_dtypes(qconfig)[2]
    return kind in _STATIC and not dynamic


def activation_is_dynamically_quantized(qconfig):
    """Whether activations are quantized with scales that each input gives."""
    return bool(get_qconfig_dtypes(qconfig)[2])


def activation_is_int8_quantized(qconfig):
    """Whether activations become integers of 8 bits."""
    return activation_dtype(qconfig) in _INT8


def activation_is_int32_quantized(qconfig):
    """Whether activations become integers of 32 bits."""
    return activation_dtype(qconfig) in (torch.qint32, torch.int32)


def weight_is_quantized(qconfig):
    """Whether weights are quantized."""
    return weight_dtype(qconfig) in _WEIGHT


def weight_is_statically_quantized(qconfig):
    """Whether weights become integers of 8 bits."""
    return weight_dtype(qconfig) in _INT8


def op_is_int8_dynamically_quantized(qconfig):
    """Whether activations and weights are of 8 bits, the former with scales that each input gives."""
    activation, weight, is_dynamic = get_qconfig_dtypes(qconfig)
    return activation in (torch.quint8, torch.uint8) and weight in (torch.qint8, torch.int8) and is_dynamic


def get_qconfig_dtypes(qconfig):
    """The dtypes of activations and weights, and whether the former is dynamic."""
    if qconfig is None:
        raise AssertionError("qconfig must be provided to extract dtypes")
    activation, weight = qconfig.activation(), qconfig.weight()
    return activation.dtype, weight.dtype, getattr(activation, "is_dynamic", False)


def get_quant_type(qconfig):
    """The kind of quantization that a configuration asks for."""
    if qconfig is None:
        raise AssertionError("qconfig must be provided to determine quant type")
    activation, weight = qconfig.activation(), qconfig.weight()
    if weight.dtype in _WEIGHT:
        if getattr(activation, "is_dynamic", False):
            return QuantType.DYNAMIC
        return QuantType.STATIC if activation.dtype in _STATIC else QuantType.WEIGHT_ONLY
    if weight.dtype == torch.float16:
        if getattr(activation, "is_dynamic", False):
            return QuantType.DYNAMIC
        if activation.dtype == torch.float16:
            return QuantType.STATIC
    raise Exception(  # noqa: TRY002  the class that callers know
        f"Unrecognized dtype combination in get_quant_type: activation({activation.dtype}),weight({weight.dtype})"
    )


def check_min_max_valid(min_val: torch.Tensor, max_val: torch.Tensor) -> bool:
    """Whether an observer has seen anything; warns where it has not.

    Raises:
        AssertionError: a minimum is larger than its maximum.
    """
    if min_val.numel() == 0 or max_val.numel() == 0:
        warnings.warn("must run observer before calling calculate_qparams. Returning default values.")
        return False
    if min_val.dim() == 0 or max_val.dim() == 0:
        if min_val == float("inf") and max_val == float("-inf"):
            warnings.warn("must run observer before calling calculate_qparams. Returning default values.")
            return False
        if min_val > max_val:
            raise AssertionError(f"min {min_val} should be less than max {max_val}")
    elif torch.any(min_val > max_val):
        raise AssertionError(f"min {min_val} should be less than max {max_val}")
    return True


def calculate_qmin_qmax(quant_min, quant_max, has_customized_qrange, dtype, reduce_range):
    """The range of integers: the one that was asked for, or all of the dtype's, without its highest bit where it is reduced.

    Raises:
        AssertionError: the range that was asked for cannot be one.
    """
    if has_customized_qrange:
        return _customized(quant_min, quant_max, dtype, reduce_range)
    if dtype in (torch.qint8, torch.int8):
        return (-64, 63) if reduce_range else (-128, 127)
    if dtype in (torch.quint8, torch.uint8):
        return (0, 127) if reduce_range else (0, 255)
    if dtype in (torch.qint32, torch.int32):
        return -(2**31), 2**31 - 1
    if dtype is torch.uint16:
        return 0, 2**16 - 1
    if dtype is torch.int16:
        return -(2**15), 2**15 - 1
    return 0, 15


def _customized(quant_min, quant_max, dtype, reduce_range):
    """A range that was asked for."""
    low, high = (0, 255) if quant_min is None or quant_max is None else (quant_min, quant_max)
    count = high - low + 1
    if dtype in (torch.qint32, torch.int32):
        if not 0 < count <= 2**32:
            raise AssertionError("quantization range should be positive and not exceed the maximum bit range (=4294967296).")
    elif dtype in (torch.qint8, torch.int8) and not 0 < count <= 256:
        # Of numbers without a sign nothing is asked.
        raise AssertionError("quantization range should be positive and not exceed the maximum bit range (=256).")
    return (low // 2, high // 2) if reduce_range else (low, high)


def has_no_children_ignoring_parametrizations(module):
    """Whether a module has no submodules but those that parametrize its weights."""
    names = list(module._modules)
    return not names or names == ["parametrizations"] and hasattr(module, "parametrizations")


def get_fqn_to_example_inputs(model, example_inputs):
    """The inputs that each submodule gets, by its path, when the model runs over `example_inputs`."""
    found = {}

    def remember(fqn):
        def hook(module, inputs):
            found[fqn] = inputs

        return hook

    handles = [module.register_forward_pre_hook(remember(fqn)) for fqn, module in model.named_modules()]
    try:
        model(*example_inputs)
    finally:
        for handle in handles:
            handle.remove()
    return found


def determine_qparams(min_val, max_val, quant_min, quant_max, dtype, eps, has_customized_qrange, qscheme=torch.per_tensor_affine):
    """Scale and zero point for numbers between `min_val` and `max_val`, each a tensor with an element for every channel."""
    if not check_min_max_valid(min_val, max_val):
        return torch.tensor([1.0]), torch.tensor([0])
    from ._qparams import scale_and_zero_point

    scale, zero_point = scale_and_zero_point(
        min_val, max_val, quant_min, quant_max, dtype, eps, has_customized_qrange, qscheme
    )
    return scale.to(torch.float64), zero_point.to(torch.int64)


def validate_qmin_qmax(quant_min: int, quant_max: int) -> None:
    """Refuses ranges of integers without zero, and empty ones."""
    if not quant_min <= 0 <= quant_max:
        raise AssertionError("Used-specified quantization range must include 0.")
    if not quant_min < quant_max:
        raise AssertionError("qmin must be strictly less than qmax for user-specified quantization range.")


publish(globals())
