"""What programs import of ``torch._jit_internal``, ``torch.jit.annotations`` and ``torch.jit.frontend``: questions about annotations, marks of
functions, and names as scripts would find them."""

import ast
import builtins
import functools
import inspect
import sys
import types
import typing

from .._jit_internal import FunctionModifiers, is_optional  # noqa: F401

_WITHOUT = {
    list: "Attempted to use List without a contained type. Please add a contained type, e.g. List[int]",
    dict: "Attempted to use Dict without contained types. Please add contained type, e.g. Dict[int, int]",
    tuple: "Attempted to use Tuple without a contained type. Please add a contained type, e.g. Tuple[int]",
}
_BARE = {typing.List: list, typing.Dict: dict, typing.Tuple: tuple}


def raise_error_container_parameter_missing(target_type):
    """Refuses a container of which it is not said what it contains."""
    raise RuntimeError(_WITHOUT[{"List": list, "Dict": dict, "Tuple": tuple}[target_type]])


def _has_origin(ann, kind):
    try:
        if _BARE.get(ann) is kind:
            raise RuntimeError(_WITHOUT[kind])
    except TypeError:
        return False
    return typing.get_origin(ann) is kind


def is_list(ann):
    """Whether an annotation is a list of something."""
    return _has_origin(ann, list)


def is_dict(ann):
    """Whether an annotation is a dictionary of something."""
    return _has_origin(ann, dict)


def is_tuple(ann):
    """Whether an annotation is a tuple of something."""
    return _has_origin(ann, tuple)


def is_union(ann):
    """Whether an annotation is one of several types."""
    return typing.get_origin(ann) in (typing.Union, types.UnionType)


def is_future(ann):
    """Whether an annotation is a value that is there later."""
    from ..futures import Future

    return ann is Future or typing.get_origin(ann) is Future


def is_await(ann):
    """Whether an annotation is a value that is computed when it is asked for."""
    return getattr(typing.get_origin(ann), "__name__", "") == "_Await"


def is_final(ann):
    """Whether an annotation is that of a constant."""
    return ann is typing.Final or typing.get_origin(ann) is typing.Final


def is_tensor(ann):
    """Whether an annotation is a tensor, by the older classes of tensors too."""
    from .. import Tensor
    from .._type_names import LEGACY

    return (isinstance(ann, type) and issubclass(ann, Tensor)) or any(ann is kind for kind in LEGACY.values())


def get_torchscript_modifier(fn):
    """How a function is marked; None for what is no function."""
    if not callable(fn):
        return None
    fn = getattr(fn, "__func__", fn)
    return getattr(fn, "_torchscript_modifier", FunctionModifiers.DEFAULT)


def copy_torchscript_modifier(orig, new):
    """Marks a function as another one is."""
    modifier = get_torchscript_modifier(orig)
    if modifier is not None:
        new._torchscript_modifier = modifier


def should_drop(fn):
    """Whether calls of a function raise in scripts."""
    return get_torchscript_modifier(fn) is FunctionModifiers.UNUSED


def is_ignored_fn(fn):
    """Whether a function is left to Python."""
    return get_torchscript_modifier(fn) in (FunctionModifiers.UNUSED, FunctionModifiers.IGNORE, FunctionModifiers._DROP)


def _copy_to_script_wrapper(fn):
    """Marks a method that scripted modules have as it is."""
    fn._torchscript_modifier = FunctionModifiers.COPY_TO_SCRIPT_WRAPPER
    return fn


def module_has_exports(mod):
    """Whether a module marks one of its methods to be compiled."""
    members = (getattr(mod, name, None) for name in dir(mod))
    return any(callable(m) and get_torchscript_modifier(m) is FunctionModifiers.EXPORT for m in members)


@functools.lru_cache(maxsize=None)
def can_compile_class(cls):
    """Whether a class is written in Python, and no module."""
    from ..nn import Module

    if is_ignored_fn(cls) or issubclass(cls, (tuple, list, Module)):
        return False
    names = cls.__dict__
    functions = [getattr(cls, name) for name in names if inspect.isroutine(getattr(cls, name, None))]
    return cls.__module__ != "builtins" and all(hasattr(fn, "__code__") for fn in functions)


def _qualified_name(obj, mangle_name=True):
    """The name of a function or a class in scripts."""
    if hasattr(obj, "_jit_override_qualname"):
        return obj._jit_override_qualname
    if hasattr(obj, "qualified_name") and not isinstance(obj, type):
        return obj.qualified_name
    name = obj.__name__ if hasattr(obj, "__name__") else type(obj).__name__
    name = "_lambda" if name == "<lambda>" else name
    module = obj.__module__
    if module is None:
        raise RuntimeError(f"Could not get qualified name for class '{name}': __module__ can't be None.")
    if module == "torch._classes":
        return obj.qualified_name
    if module == "__main__" and mangle_name:
        module = "__torch__"
    elif mangle_name:
        module = "__torch__." + module
    if "." in name:
        raise RuntimeError(f"Could not get qualified name for class '{name}': '{name}' is not a valid identifier")
    return f"{module}.{name}"


def get_closure(fn):
    """The names that a function sees around it, with what they are."""
    captures = dict(fn.__globals__)
    captures.update(zip(fn.__code__.co_freevars, (cell.cell_contents for cell in fn.__closure__ or ())))
    return captures


def createResolutionCallbackFromEnv(lookup_base):
    """What finds names in an object."""

    def find(name):
        found = lookup_base
        for part in name.split("."):
            found = getattr(found, part, None)
        return found

    return find


def createResolutionCallbackFromFrame(frames_up=0):
    """What finds names as the caller, or a frame further out, sees them."""
    frame = sys._getframe(1 + frames_up)
    names, around = frame.f_locals, frame.f_globals

    def find(name):
        for scope in (names, around):
            if name in scope:
                return scope[name]
        return getattr(builtins, name, None)

    return find


def createResolutionCallbackFromClosure(fn):
    """What finds names as a function sees them."""
    captures = get_closure(fn)

    def find(name):
        return captures[name] if name in captures else getattr(builtins, name, None)

    return find


def createResolutionCallbackForClassMethods(cls):
    """What finds names as the methods of a class see them."""
    captures = {}
    for _, fn in inspect.getmembers(cls, inspect.isfunction):
        captures.update(get_closure(fn))

    def find(name):
        return captures[name] if name in captures else getattr(builtins, name, None)

    return find


def get_annotation_str(annotation):
    """The text of the expression of an annotation."""
    if isinstance(annotation, ast.Name):
        return annotation.id
    if isinstance(annotation, ast.Attribute):
        return f"{get_annotation_str(annotation.value)}.{annotation.attr}"
    if isinstance(annotation, ast.Subscript):
        return f"{get_annotation_str(annotation.value)}[{get_annotation_str(annotation.slice)}]"
    if isinstance(annotation, ast.Tuple):
        return ",".join(get_annotation_str(part) for part in annotation.elts)
    return f"{annotation.value}" if isinstance(annotation, ast.Constant) else None


def is_static_fn(cls, fn):
    """Whether a name is that of a static method of a class."""
    return isinstance(inspect.getattr_static(cls, fn, default=None), staticmethod)


def get_static_fn(cls, fn):
    """The function of a static method."""
    return inspect.getattr_static(cls, fn).__func__


def _extract_tensors(obj):
    """All tensors of a structure."""
    from .. import Tensor
    from ..utils._pytree import tree_leaves

    return [leaf for leaf in tree_leaves(obj) if isinstance(leaf, Tensor)]


def container_checker(obj, target_type):
    """Whether an object is of a container's type, to its elements."""
    from . import _names

    return _names.isinstance(obj, target_type)


# Of annotations.


def get_type_line(source):
    """The comment of a function that says its types; None where there is none."""
    for line in source.split("\n"):
        at = line.find("# type:")
        if at >= 0 and "->" in line[at:] and not line[at:].startswith("# type: ignore"):
            return line[at:].strip()
    return None


def split_type_line(type_line):
    """The types of the parameters and that of the result, as a comment says them."""
    start, arrow = type_line.find("# type:") + len("# type:"), type_line.index("->")
    return type_line[start:arrow].strip(), type_line[arrow + 2 :].strip()


def parse_type_line(type_line, rcb, loc):
    """The types that a comment says."""
    from . import annotations

    arguments, result = split_type_line(type_line)
    names = annotations._named_types(None)
    try:
        given = annotations._evaluated(arguments, names)
        returned = annotations._evaluated(result, names)
    except (NameError, SyntaxError) as e:
        raise RuntimeError("Failed to parse the argument list of a type annotation") from e
    given = given if isinstance(given, tuple) else (given,)
    return [annotations._as_type(hint) for hint in given], annotations._as_type(returned)


def get_param_names(fn, n_args):
    """The names of the parameters of a function; numbers where it does not say."""
    if isinstance(fn, type) and hasattr(fn, "__init__"):
        fn = fn.__init__
    try:
        parameters = inspect.signature(fn).parameters.values()
    except (TypeError, ValueError):
        return [str(i) for i in range(n_args)]
    return [p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.POSITIONAL_ONLY)]


def is_function_or_method(the_callable):
    """Whether something is a function, or a method, that is written in Python."""
    return inspect.isfunction(the_callable) or inspect.ismethod(the_callable)


def is_vararg(the_callable):
    """Whether a callable takes any number of arguments."""
    if not is_function_or_method(the_callable) and hasattr(the_callable, "__call__"):
        the_callable = the_callable.__call__
    return is_function_or_method(the_callable) and inspect.getfullargspec(the_callable).varargs is not None


def try_real_annotations(fn, loc):
    """The types that a function's annotations say; None where it has none."""
    from . import annotations

    parameters = inspect.signature(fn)
    hints = [p.annotation for p in parameters.parameters.values()]
    if all(hint is inspect.Signature.empty for hint in (*hints, parameters.return_annotation)):
        return None
    return annotations.get_signature(fn, None, loc, False)


def get_enum_value_type(e, loc):
    """The type of the values of an enumeration."""
    from .. import _introspection  # noqa: F401
    from . import annotations

    kinds = list(dict.fromkeys(type(member.value) for member in e))
    if not kinds:
        raise ValueError(f"No enum values defined for: '{e}'")
    if len(kinds) > 1:
        first, other = (annotations._as_type(kind) for kind in kinds[:2])
        raise RuntimeError(
            f"Could not unify type list since element 1 of type {first} did not match the types before it ({other})"
        )
    return annotations._as_type(kinds[0])


# Of the frontend.

_RESERVED = frozenset(("print", "tuple"))


def is_reserved_name(name):
    """Whether scripts keep a name for themselves."""
    return name in _RESERVED


def get_default_args(fn):
    """The values that parameters have where they are not given."""
    if fn is None:
        return {}
    parameters = inspect.signature(fn).parameters.values()
    return {p.name: p.default for p in parameters if p.default is not inspect.Parameter.empty}


def validate_map_location(map_location=None):
    """The device behind what ``torch.jit.load`` is told of places."""
    import rushlight as torch

    if isinstance(map_location, str):
        map_location = torch.device(map_location)
    elif not (map_location is None or isinstance(map_location, torch.device)):
        raise ValueError(f"map_location should be either None, string or torch.device, but got type: {type(map_location)}")
    if str(map_location).startswith("cuda"):
        raise AssertionError("map_location on cuda is not supported: tensors live on the CPU")
    return map_location
