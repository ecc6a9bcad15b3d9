"""Operators that programs define, as scripts call them: a function of the program behind a scripted one with the defaults."""

import typing

from .. import _rushlight
from .operators import OpOverloadPacket, call

_NAMES = {
    "Tensor": _rushlight.Tensor, "Optional": typing.Optional, "List": typing.List, "Tuple": typing.Tuple, "Dict": typing.Dict,
    "Any": typing.Any, "Device": _rushlight.device, "number": typing.Union[int, float, complex],
    "Scalar": typing.Union[int, float, complex], "Generator": _rushlight.Generator,
}
_made = {}


def function_of(operator):
    """The scripted function of an operator; of several overloads the first."""
    if isinstance(operator, OpOverloadPacket):
        defined = next(iter(operator._all().values()))
    else:
        defined = operator._defined
    found = _made.get(id(defined))
    if found is None or found[0] is not defined:
        found = _made[id(defined)] = (defined, _make(defined))
    return found[1]


def _returned(defined):
    kinds = [str(r.type) for r in defined.returns]
    if not kinds:
        return "None"
    return kinds[0] if len(kinds) == 1 else f"Tuple[{', '.join(kinds)}]"


def _info(name, text, names, defaults=None):
    from .._resolve import Scope

    def key():
        """Stands for the function."""

    key.__name__ = name
    return {
        "key": key, "name": name, "qualified": f"__torch__.torch.ops.{name}", "source": text, "file": "<operator>", "line": 1,
        "scope": Scope({**_NAMES, **names}), "defaults": defaults or {}, "observed": (),
    }


def _make(defined):
    name = defined.qualified.replace("::", "_") + defined.schema.overload_name
    arguments = defined.arguments
    parameters = ", ".join(f"{a.name}: {a.type}" for a in arguments)
    given = ", ".join(a.name for a in arguments)
    namespace = {}

    def run(*values):
        args, kwargs = [], {}
        for argument, value in zip(arguments, values):
            if argument.kwarg_only:
                kwargs[argument.name] = value
            else:
                args.append(value)
        return call(defined, tuple(args), kwargs)

    exec(f"def {name}({given}):\n    return run({given})\n", {"run": run}, namespace)  # noqa: S102  names of a schema
    host = namespace[name]
    host._torchscript_modifier = "ignore"
    text = f"def {name}({parameters}) -> {_returned(defined)}:\n    pass\n"
    host._rushlight_info = _info(name, text, {})
    host._rushlight_info["key"] = host
    defaults = {a.name: a.default_value for a in arguments if a.has_default_value()}
    # The text says that there is a default, the table which.
    optional = ", ".join(f"{a.name}: {a.type}" + (f" = {a.default_value!r}" if a.has_default_value() else "") for a in arguments)
    wrapped = f"def {name}({optional}) -> {_returned(defined)}:\n    return host({given})\n"
    return _rushlight.script_function(_info(name, wrapped, {"host": host}, defaults))
