"""``torch.jit.annotations``: what annotations mean, and the names that they are written with."""

from typing import Any, Dict, List, Optional, Tuple, Union  # noqa: F401

from .. import _introspection
from .._jit_internal import BroadcastingList1, BroadcastingList2, BroadcastingList3  # noqa: F401
from .._rushlight import Tensor  # noqa: F401
from ..futures import Future  # noqa: F401

for _name in (
    "AnyType", "AwaitType", "BoolType", "ComplexType", "DeviceObjType", "DictType", "EnumType", "FloatType", "FutureType",
    "IntType", "InterfaceType", "ListType", "NoneType", "NumberType", "OptionalType", "RRefType", "StreamObjType", "StringType",
    "TensorType", "TupleType", "UnionType",
):  # fmt: skip
    globals()[_name] = getattr(_introspection, _name)


def _type_line(text):
    """The signature that a comment of a function says, or None."""
    import re

    for line in text.splitlines():
        found = re.search(r"# type:(?! ignore)\s*(.*)", line)
        if found and "->" in found.group(1):
            return found.group(1).partition(" #")[0].strip()
    return None


def _named_types(fn):
    import torch
    from . import _names

    known = {"Tensor": Tensor, "torch": torch, "NoneType": type(None), "annotate": _names.annotate}
    typing_names = {name: globals()[name] for name in ("Any", "Dict", "List", "Optional", "Tuple", "Union", "Future")}
    return {**known, **typing_names, **getattr(fn, "__globals__", {})}


def _evaluated(text, names):
    import ast

    tree = ast.parse(text, mode="eval")
    if any(isinstance(node, ast.Call) for node in ast.walk(tree)):
        raise RuntimeError(f"Type annotation should not contain calls, but '{text}' does")
    return eval(compile(tree, "<annotation>", "eval"), names)  # noqa: S307  the program's own text


def _as_type(hint):
    """The type of the language that an annotation stands for."""
    from .. import _resolve, _rushlight

    described = _resolve.describe_type(hint)
    if described is None:
        raise ValueError(f"Unknown type annotation: '{hint}'")
    return _rushlight.described_type(described)


def refusal(text, scope):
    """What the reference has to say against an annotation with parts that are no types: the class of the error, its message, and
    whether the place follows; None where that is left to the compiler."""
    import ast

    try:
        hint = _written(ast.parse(text.strip(), mode="eval").body, scope)
    except (SyntaxError, LookupError, TypeError, AttributeError):
        return None
    try:
        _resolved(hint)
    except (ValueError, AssertionError) as error:
        return type(error).__name__, str(error), True
    except RuntimeError as error:
        return "RuntimeError", str(error), False
    return None


def _written(node, scope):
    """The object that the expression of an annotation stands for."""
    import ast

    if isinstance(node, ast.Name):
        found = scope.dotted(node.id)
        if found is None:
            raise LookupError(node.id)
        return found[0]
    if isinstance(node, ast.Attribute):
        return getattr(_written(node.value, scope), node.attr)
    if isinstance(node, ast.Subscript):
        return _written(node.value, scope)[_written(node.slice, scope)]
    if isinstance(node, ast.Tuple):
        return tuple(_written(part, scope) for part in node.elts)
    if isinstance(node, ast.Constant):
        return node.value
    raise LookupError(ast.dump(node))


def _resolved(hint):
    """Whether a hint is a type as a part of others; raises where the container that it stands in refuses what is none."""
    import types
    import typing

    from .. import _resolve

    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin is list:
        return bool(parts) and _resolved(parts[0])
    if origin is dict:
        for part in parts:
            if not _resolved(part):
                raise ValueError(f"Unknown type annotation: '{part}' at ")
        return True
    if origin is tuple:
        if not all([_resolved(part) for part in parts if part != ()]):
            raise RuntimeError("Can not create tuple with None type")
        return True
    if origin in (typing.Union, types.UnionType):
        for part in parts:
            if not _resolved(part):
                raise AssertionError(f"Unsupported annotation {hint} could not be resolved because {part} could not be resolved. At\n")
        return True
    described = _resolve.describe_type(hint)
    return described is not None and described[0] != "module_class"


def get_signature(fn, rcb, loc, is_method):
    """The types of the parameters of a function and of its result, or None where it says nothing of them."""
    import inspect

    from .._source import source_of

    names = _named_types(fn)
    if getattr(fn, "__annotations__", None):
        parameters = list(inspect.signature(fn).parameters.values())[int(is_method) :]
        hints = (Tensor if p.annotation is p.empty else p.annotation for p in parameters)
        result = inspect.signature(fn).return_annotation
        given = [_evaluated(hint, names) if isinstance(hint, str) else hint for hint in hints]
        return [_as_type(hint) for hint in given], _as_type(Tensor if result is inspect.Signature.empty else result)
    line = _type_line(source_of(fn)[0])
    if line is None:
        return None
    arguments, _, result = line.rpartition("->")
    arguments = _evaluated(arguments.strip(), names)
    arguments = arguments if isinstance(arguments, tuple) else (arguments,)
    return [_as_type(hint) for hint in arguments], _as_type(_evaluated(result.strip(), names))


def try_ann_to_type(ann, loc, rcb=None):
    """The type of the language that an annotation stands for; None where it stands for none."""
    if ann is None:
        return globals()["NoneType"].get()
    _resolved(ann)
    try:
        return _as_type(ann)
    except ValueError:
        return None


def ann_to_type(ann, loc, rcb=None):
    """As :func:`try_ann_to_type`; an annotation that stands for no type is refused."""
    found = try_ann_to_type(ann, loc, rcb)
    if found is None:
        raise ValueError(f"Unknown type annotation: '{ann}'")
    return found


# Questions that programs import from here.
_QUESTIONS = frozenset((
    "get_type_line", "split_type_line", "parse_type_line", "get_param_names", "is_function_or_method", "is_vararg", "try_real_annotations",
    "get_enum_value_type", "is_list", "is_dict", "is_tuple", "is_union", "is_optional", "is_tensor", "is_future", "is_await", "is_ignored_fn",
))  # fmt: skip


def __getattr__(name):
    if name in _QUESTIONS:
        from . import _internal_names

        return getattr(_internal_names, name)
    raise AttributeError(f"module 'torch.jit.annotations' has no attribute '{name}'")
