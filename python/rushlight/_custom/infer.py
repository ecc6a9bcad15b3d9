"""``torch.library.infer_schema``: the schema of an operator from the annotations of a function."""

import collections.abc
import inspect
import typing

from .. import _rushlight

Tensor = _rushlight.Tensor
_Number = int | float | bool


def _lists(inner):
    return [typing.Sequence[inner], typing.List[inner], collections.abc.Sequence[inner], list[inner]]


def _table():
    """What each annotation means, in the order in which errors list them."""
    found = {}

    def add(base, text, lists=True, optional_lists=True, of_optional=False):
        found[base] = text
        found[typing.Optional[base]] = text + "?"
        kinds = [(kind, text + "[]") for kind in _lists(base)] if lists else []
        if of_optional:
            kinds += [(kind, text + "?[]") for kind in _lists(typing.Optional[base])]
        found.update(kinds)
        if optional_lists:
            found.update((typing.Optional[kind], meaning + "?") for kind, meaning in kinds)

    add(Tensor, "Tensor", of_optional=True)
    add(int, "SymInt")
    add(float, "float")
    add(bool, "bool")
    add(str, "str", lists=False)
    add(_Number, "Scalar", optional_lists=False)
    add(_rushlight.dtype, "ScalarType", lists=False)
    add(_rushlight.device, "Device", lists=False)
    return found


_PARAMETERS = _table()
_RETURNS = {
    Tensor: "Tensor", typing.List[Tensor]: "Tensor[]", list[Tensor]: "Tensor[]", int: "SymInt", float: "float", bool: "bool",
    _Number: "Scalar",
}


def _default(value):
    if value is None or isinstance(value, (bool, int, float)):
        return str(value)
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, _rushlight.dtype):
        # As the reference writes it: the name without the module.
        return str(value).removeprefix("torch.")
    if isinstance(value, _rushlight.device):
        return f'"{value}"'
    return None


def _resolved(annotation, function):
    if isinstance(annotation, typing.ForwardRef):
        annotation = annotation.__forward_arg__
    if not isinstance(annotation, str):
        return annotation
    import rushlight

    names = {"torch": rushlight, "Tensor": Tensor, "typing": typing, **vars(typing)}
    names.update(getattr(function, "__globals__", {}))
    try:
        return eval(annotation, names)  # noqa: S307  the program's own text
    except Exception:
        return None


def infer_schema(prototype_function, /, *, mutates_args, op_name=None, tags=()):
    """The schema that a function's annotations say: ``(Tensor x, SymInt n=2) -> Tensor``.

    Args:
        mutates_args: the names of the arguments that it writes, or ``"unknown"`` for all that could be.
        op_name: a name to begin with.
    """
    function = prototype_function
    signature = inspect.signature(function)
    shown = _signature_text(signature)

    def fail(message):
        raise ValueError(f"infer_schema(func): {message} Got func with signature {shown})")

    if isinstance(mutates_args, str) and mutates_args != "unknown":
        raise ValueError(
            "mutates_args must either be a sequence of the names of the arguments that are mutated or the string 'unknown'. "
        )
    parts, seen_named, names = [], False, set()
    for position, (name, parameter) in enumerate(signature.parameters.items()):
        if parameter.kind not in (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY):
            fail("We do not support positional-only args, varargs, or varkwargs.")
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and not seen_named:
            parts.append("*")
            seen_named = True
        if parameter.annotation is inspect.Parameter.empty:
            fail(f"Parameter {name} must have a type annotation.")
        annotation = _resolved(parameter.annotation, function)
        if annotation is None:
            fail(
                f"Unsupported type annotation {parameter.annotation}. It is not a type."
            )
        text = _lookup(annotation, _PARAMETERS)
        if text is None:
            if typing.get_origin(annotation) is tuple:
                inner = "[" + ", ".join(getattr(a, "__name__", str(a)) for a in set(typing.get_args(annotation))) + "]"
                fail(
                    f"Parameter {name} has unsupported type {annotation}. We do not support Tuple inputs in schema. As a workaround, "
                    f"please try to use List instead. For example, list{inner}.\n\nThe valid types are: {_PARAMETERS.keys()}."
                )
            fail(f"Parameter {name} has unsupported type {annotation}. The valid types are: {_PARAMETERS.keys()}.")
        is_written = mutates_args == "unknown" and text.startswith("Tensor") or mutates_args != "unknown" and name in mutates_args
        if is_written:
            if not text.startswith("Tensor"):
                fail(f"Parameter {name} is in mutable_args but only Tensors or collections of Tensors can be mutated")
            text = text.replace("Tensor", f"Tensor(a{position}!)", 1)
        names.add(name)
        if parameter.default is inspect.Parameter.empty:
            parts.append(f"{text} {name}")
            continue
        default = _default(parameter.default)
        if default is None:
            fail(
                f"Parameter {name} has an unsupported default value type {type(parameter.default)}. Please file an issue on GitHub so "
                "we can prioritize this."
            )
        parts.append(f"{text} {name}={default}")
    if mutates_args != "unknown":
        unknown = set(mutates_args) - names
        if unknown:
            fail(
                f"{unknown} in mutates_args were not found in the custom op's signature. mutates_args should contain the names of all "
                "args that the custom op mutates, or just the string 'unknown' if you don't know."
            )
    result = _result(signature.return_annotation, function, fail)
    text = f"({', '.join(parts)}) -> {result}"
    return text if op_name is None else op_name + text


def _signature_text(signature):
    return str(signature).replace("rushlight.", "torch.")


def _lookup(annotation, table):
    try:
        found = table.get(annotation)
    except TypeError:
        return None
    if found is None:
        # ``Tensor | None`` and ``Optional[Tensor]`` are equal, but not alike in all versions of Python.
        for known, text in table.items():
            if known == annotation:
                return text
    return found


def _result(annotation, function, fail):
    if annotation is inspect.Signature.empty:
        fail("No return type annotation was provided. Please add one.")
    annotation = _resolved(annotation, function) if annotation is not None else None
    if annotation is None or annotation is type(None):
        return "()"
    found = _lookup(annotation, _RETURNS)
    if found is not None:
        return found
    if typing.get_origin(annotation) is tuple:
        parts = [_lookup(a, _RETURNS) for a in typing.get_args(annotation)]
        if None not in parts:
            return f"({', '.join(parts)})"
    fail(f"Return has unsupported type {annotation}. The valid types are: {_RETURNS}.")
