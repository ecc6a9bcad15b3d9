"""``torch.fx.operator_schemas``: the parameters of functions and modules, and arguments as these have them."""

import inspect
import numbers
import types
import typing
from collections import namedtuple

from .._rushlight import Builtin, Tensor

__all__ = [
    "ArgsKwargsPair", "check_for_mutable_operation", "get_signature_for_torch_op", "create_type_hint", "type_matches",
    "normalize_function", "normalize_module",
]

ArgsKwargsPair = namedtuple("ArgsKwargsPair", ["args", "kwargs"])
ArgsKwargsPair.__doc__ = "Arguments by position and by name."

_TYPES = {
    "Tensor": Tensor, "int": int, "float": float, "bool": bool, "str": str, "complex": complex, "number": numbers.Number,
    "Scalar": numbers.Number, "Any": typing.Any,
}


def _python_type(text):
    """The Python type of a type of the language, by its text."""
    if text in _TYPES:
        return _TYPES[text]
    if text.startswith("Optional["):
        return typing.Optional[_python_type(text[9:-1])]
    if text.startswith("List["):
        return typing.List[_python_type(text[5:-1])]
    if text.isidentifier() and text.islower():
        return typing.TypeVar(text)
    return typing.Any


def _schemas(op):
    from .._namespaces import NAMESPACES

    schemas = NAMESPACES["_C"]._jit_get_schemas_for_operator(op.operator)
    if op.path.startswith("torch.ops.") and op.path.count(".") == 4:
        overload = op.path.rsplit(".", 1)[1]
        schemas = [schema for schema in schemas if (schema.overload_name or "default") == overload]
    return schemas


def _signature(schema):
    parameters = []
    for argument in schema.arguments:
        kind = inspect.Parameter.KEYWORD_ONLY if argument.kwarg_only else inspect.Parameter.POSITIONAL_OR_KEYWORD
        default = argument.default_value if argument.has_default_value() else inspect.Parameter.empty
        name = argument.name if argument.name != "self" else "input"
        if name == "from":
            name, kind = "from_", inspect.Parameter.POSITIONAL_ONLY
        parameters.append(
            inspect.Parameter(name, kind, default=default, annotation=_python_type(str(argument.type)))
        )
    required = [p for p in parameters if p.kind is not p.KEYWORD_ONLY]
    # A parameter without a default behind one with a default can only be given by name.
    seen = False
    for parameter in required:
        if parameter.default is not parameter.empty:
            seen = True
        elif seen:
            index = parameters.index(parameter)
            parameters[index] = parameter.replace(kind=parameter.KEYWORD_ONLY)
    parameters.sort(key=lambda p: p.kind)
    returned = [_python_type(str(each.type)) for each in schema.returns]
    annotation = returned[0] if len(returned) == 1 else tuple(returned)
    return inspect.Signature(parameters, return_annotation=annotation)


def get_signature_for_torch_op(op, return_schemas=False):
    """The signatures of an operator's overloads, with their schemas if asked; None of what is no operator."""
    if not isinstance(op, Builtin):
        return (None, None) if return_schemas else None
    schemas = _schemas(op)
    signatures = [_signature(schema) for schema in schemas]
    return (signatures, schemas) if return_schemas else signatures


def create_type_hint(x):
    """The type of a nesting of types: a list of types as the type of lists."""
    try:
        if isinstance(x, (list, tuple)):
            def made(base):
                return typing.List[base] if isinstance(x, list) else typing.Tuple[base, ...]

            if not x:
                return made(typing.Any)
            base = x[0]
            for each in x:
                if issubclass(each, base):
                    continue
                if not issubclass(base, each):
                    return made(typing.Any)
                base = each
            return made(base)
    except TypeError:
        return x
    return x


def type_matches(signature_type, argument_type):
    """Whether an argument of one type may be given where another is wanted."""
    if signature_type is argument_type or signature_type is typing.Any:
        return True
    origin = typing.get_origin(signature_type)
    if origin is typing.Union:
        return any(type_matches(each, argument_type) for each in typing.get_args(signature_type))
    if signature_type is typing.List[int] and argument_type is int:
        return True
    if origin is list:
        element = typing.get_args(signature_type)[0]
        if inspect.isclass(argument_type):
            return issubclass(argument_type, element) if inspect.isclass(element) else False
        inner = typing.get_args(argument_type)
        return bool(inner) and all(each is ... or type_matches(element, each) for each in inner)
    if signature_type is numbers.Number and argument_type in (int, float, complex):
        return True
    if inspect.isclass(argument_type) and inspect.isclass(signature_type):
        return issubclass(argument_type, signature_type)
    return False


def _normalized(signature, args, kwargs, only_kwargs):
    """Arguments as a signature has them, with its defaults; None where they are not plain parameters."""
    for parameter in signature.parameters.values():
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            # A first parameter called `self` or `from` is given by position and keeps its value.
            if list(signature.parameters) != ["input", "from", "to", "generator"]:
                return None
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()
    positional, named = [], {}
    for index, (name, value) in enumerate(bound.arguments.items()):
        if not only_kwargs and index < len(args):
            positional.append(value)
        else:
            named[name] = value
    return ArgsKwargsPair(tuple(positional), named)


def _fits(signature, args, kwargs):
    try:
        signature.bind(*args, **kwargs)
    except TypeError:
        return False
    return True


def normalize_function(target, args, kwargs=None, arg_types=None, kwarg_types=None, normalize_to_only_use_kwargs=False):
    """Arguments of a function as its parameters have them, with defaults; None where the parameters are not known.

    ``arg_types`` and ``kwarg_types`` choose among overloads. Raises ``RuntimeError`` where several would do.
    """
    kwargs = kwargs or {}
    if isinstance(target, types.FunctionType):
        return _normalized_python(target, args, kwargs, normalize_to_only_use_kwargs)
    if not isinstance(target, Builtin):
        return None
    fitting = [s for s in get_signature_for_torch_op(target) if _fits(s, args, kwargs)]
    if len(fitting) > 1 and (arg_types is not None or kwarg_types is not None):
        given, named = arg_types or (), kwarg_types or {}
        by_type = []
        for signature in fitting:
            if not _fits(signature, given, named):
                continue
            bound = signature.bind(*given, **named)
            if all(type_matches(signature.parameters[name].annotation, kind) for name, kind in bound.arguments.items()):
                by_type.append(signature)
        fitting = by_type[:1]
    elif len(fitting) > 1:
        from ._targets import qualified_name

        schemas = "\n".join(map(str, fitting))
        name = qualified_name(target).removeprefix("torch.")
        raise RuntimeError(
            f"Tried to normalize arguments to torch._VariableFunctionsClass.{name} but the schema match was ambiguous! "
            f"Please provide argument types to the normalize_arguments() call. Available schemas:\n{schemas}"
        )
    return _normalized(fitting[0], args, kwargs, normalize_to_only_use_kwargs) if fitting else None


def _normalized_python(target, args, kwargs, only_kwargs):
    from ._targets import module_of

    if not module_of(target).startswith(("torch.nn.functional", "torch.functional")):
        return None
    dispatch = getattr(target, "_boolean_dispatch", None)
    signature = inspect.signature(target if dispatch is None else dispatch[4])
    try:
        return _normalized(signature, args, kwargs, only_kwargs)
    except TypeError:
        return None


def normalize_module(root, target, args, kwargs=None, normalize_to_only_use_kwargs=False):
    """Arguments of a submodule of ``torch.nn`` as its ``forward`` has them, with defaults; None for other modules."""
    from .. import nn

    try:
        module = root.get_submodule(target)
    except AttributeError:
        raise RuntimeError(
            f"Tried to normalize node with target {target} but root did not have that target!"
        ) from None
    if getattr(nn, type(module).__name__, None) is not type(module):
        return None
    signature = inspect.signature(module.forward)
    return _normalized(signature, args, kwargs or {}, normalize_to_only_use_kwargs)


def check_for_mutable_operation(target, args, kwargs):
    """Raises ``RuntimeError`` where a call would change one of its arguments."""
    if not isinstance(target, Builtin):
        return
    fitting = [
        schema for schema in _schemas(target) if _fits(_signature(schema), args, kwargs)
    ]
    # Where several overloads would do, nobody knows which is meant.
    if len(fitting) != 1 or not _is_mutable(fitting[0]):
        return
    raise RuntimeError(
        f"Tried to trace mutable operation {fitting[0]}. FX only supports functional code, so operations that mutate "
        "operands in-place (e.g. via `out` arguments) are not supported"
    )


def _is_mutable(schema):
    return any(each.alias_info is not None and each.alias_info.is_write for each in schema.arguments)
