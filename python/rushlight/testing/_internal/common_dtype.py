"""``torch.testing._internal.common_dtype``: groups of dtypes that tests go through."""

import rushlight as torch

_floating = (torch.float32, torch.float64)
_integral = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)
_complex = (torch.complex64, torch.complex128)
_GROUPS = {
    "integral_types": _integral, "floating_types": _floating, "complex_types": _complex, "all_types": _floating + _integral,
    "floating_and_complex_types": _floating + _complex, "all_types_and_complex": _floating + _integral + _complex,
    "double_types": (torch.float64, torch.complex128), "floating_types_and_half": (*_floating, torch.float16),
    "all_types_and_half": (*_floating, *_integral, torch.float16),
}
# Groups that take more dtypes as arguments.
_OPEN = ("integral_types", "floating_types", "all_types", "floating_and_complex_types", "all_types_and_complex")


def _closed(name, group):
    def function():
        return group

    return _named(function, name, f"The dtypes {', '.join(dtype.name for dtype in group)}.")


def _open(name, group):
    def function(*dtypes):
        return group + dtypes

    return _named(function, name + "_and", f"The dtypes of ``{name}()`` and these.")


def _named(function, name, doc):
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


globals().update({name: _closed(name, group) for name, group in _GROUPS.items()})
globals().update({name + "_and": _open(name, _GROUPS[name]) for name in _OPEN})


def empty_types():
    """No dtypes."""
    return ()


def custom_types(*dtypes):
    """These dtypes."""
    return dtypes


def get_all_int_dtypes():
    """The dtypes of integers."""
    return list(_integral)


def get_all_fp_dtypes(include_half=True, include_bfloat16=True):
    """The dtypes of real numbers."""
    return [*_floating, *([torch.float16] if include_half else []), *([torch.bfloat16] if include_bfloat16 else [])]


def get_all_complex_dtypes(include_complex32=False):
    """The dtypes of complex numbers."""
    return [*([torch.complex32] if include_complex32 else []), *_complex]


def get_all_dtypes(
    include_half=True, include_bfloat16=True, include_bool=True, include_complex=True, include_complex32=False, include_qint=False
):
    """All dtypes of the kinds that are asked for."""
    found = get_all_int_dtypes() + get_all_fp_dtypes(include_half, include_bfloat16)
    if include_bool:
        found.append(torch.bool)
    if include_complex:
        found += get_all_complex_dtypes(include_complex32)
    if include_qint:
        found += [torch.qint8, torch.quint8, torch.qint32]
    return found


def get_all_math_dtypes(device):
    """The dtypes that all operators of a device take."""
    half = str(device).startswith("cuda")
    return get_all_int_dtypes() + get_all_fp_dtypes(half, False) + get_all_complex_dtypes()


def get_all_qint_dtypes():
    """The dtypes of quantized numbers."""
    return [torch.qint8, torch.quint8, torch.qint32, torch.quint4x2, torch.quint2x4]
