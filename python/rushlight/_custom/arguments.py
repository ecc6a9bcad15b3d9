"""Whether what a call gives fits the schema of an operator, in the reference's words."""

from .. import _rushlight
from .._names import NAMES
from .registry import _DTYPES

Tensor = _rushlight.Tensor
_dtype, _device, _code = _rushlight.dtype, _rushlight.device, _rushlight.Code


class _No(Exception):
    """A value that does not fit."""


def _int(value):
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int):
        return value
    if isinstance(value, Tensor) and value.dim() == 0 and not value.is_floating_point():
        return int(value)
    if isinstance(value, (_dtype, _code)):
        return value
    raise _No


def _float(value):
    if isinstance(value, (int, float)):
        return float(value)
    if isinstance(value, Tensor) and value.dim() == 0:
        return float(value)
    raise _No


def _bool(value):
    if isinstance(value, int) or isinstance(value, Tensor) and value.numel() == 1:
        return bool(value)
    raise _No


def _kind(*kinds):
    def check(value):
        if isinstance(value, kinds):
            return value
        raise _No

    return check


def _device_of(value):
    if isinstance(value, (_device, str)):
        return _device(value)
    raise _No


_CHECKS = {
    "Tensor": _kind(Tensor), "int": _int, "float": _float, "bool": _bool, "str": _kind(str),
    "number": _kind(int, float, complex, Tensor), "Scalar": _kind(int, float, complex, Tensor), "complex": _kind(complex, float, int),
    "Device": _device_of, "Generator": _kind(_rushlight.Generator), "Any": lambda value: value,
}


def fitting(kind, value, size=None):
    """The value as a type (in its text) takes it."""
    if kind.startswith("Optional["):
        return None if value is None else fitting(kind[9:-1], value, size)
    if kind.startswith("List["):
        inner = kind[5:-1]
        if size is not None and not isinstance(value, (list, tuple)):
            return [fitting(inner, value)] * size
        if not isinstance(value, (list, tuple)):
            raise _No
        return [fitting(inner, v) for v in value]
    check = _CHECKS.get(kind)
    if check is None:
        return value
    return check(value)


def bind(defined, args, kwargs):
    """The arguments of a call in the order of the schema, with its defaults."""
    name, text = defined.qualified, defined.text
    arguments = defined.arguments
    places = [a for a in arguments if not a.kwarg_only]
    if len(args) > len(places) or len(args) + len(kwargs) > len(arguments):
        most, given = (len(places), len(args)) if len(args) > len(places) else (len(arguments), len(args) + len(kwargs))
        raise RuntimeError(f"{name}() expected at most {most} argument(s) but received {given} argument(s). Declaration: {text}")
    found, used = [], 0
    for place, argument in enumerate(arguments):
        if place < len(args):
            value = args[place]
            if argument.name in kwargs:
                raise RuntimeError(f"Argument '{argument.name}' specified both as positional and keyword argument. Schema: {text}")
        elif argument.name in kwargs:
            value = kwargs[argument.name]
            used += 1
        elif argument.has_default_value():
            found.append(argument.default_value)
            continue
        else:
            raise RuntimeError(f"{name}() is missing value for argument '{argument.name}'. Declaration: {text}")
        try:
            found.append(fitting(str(argument.type), value, argument.N))
        except _No:
            raise RuntimeError(_refusal(name, text, argument, place, value)) from None
    if used < len(kwargs):
        known = {a.name for a in arguments}
        unknown = next(k for k in kwargs if k not in known)
        raise RuntimeError(f"Unknown keyword argument '{unknown}' for operator '{name}'. Schema: {text}")
    return found


def _refusal(name, text, argument, place, value):
    kind = str(argument.type)
    if kind == "Tensor":
        detail = f"Unable to cast {value} to Tensor"
    else:
        detail = (
            f"Unable to cast Python instance of type {type(value)} to C++ type '?' (#define PYBIND11_DETAILED_ERROR_MESSAGES or compile "
            "in debug mode for details)"
        )
    return (
        f"{name}() Expected a value of type '{kind}' for argument '{argument.name}' but instead found type '{type(value).__name__}'.\n"
        f"Position: {place}\nValue: {value!r}\nDeclaration: {text}\nCast error details: {detail}"
    )


def as_dtypes(defined, values):
    """Codes of dtypes (defaults of schemas) as dtypes."""
    out = list(values)
    for i, argument in enumerate(defined.arguments):
        if isinstance(out[i], int) and not isinstance(out[i], bool) and str(argument.real_type) == "ScalarType":
            out[i] = _by_code(out[i])
    return out


def _by_code(code):
    return NAMES[_DTYPES[code]]
