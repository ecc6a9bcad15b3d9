"""Marks that functions carry and the compiler understands; the standard library is written with them.

``boolean_dispatch`` makes one name of two functions, told apart by a flag that must be known when a call is compiled;
``_overload`` declares signatures of a function whose body is compiled once for each of them that is used;
``BroadcastingList2[int]`` is a list of two for which a single number may stand.
"""

import contextlib
import re
import types
import typing
import weakref

from . import _source


class FunctionModifiers:
    """How functions are marked for scripts."""

    UNUSED = "unused (ignored and replaced with raising of an exception)"
    IGNORE = "ignore (leave as a call to Python, cannot be torch.jit.save'd)"
    EXPORT = "export (compile this function even if nothing calls it)"
    DEFAULT = "default (compile if called from an exported function / forward)"
    COPY_TO_SCRIPT_WRAPPER = "if this method is not scripted, copy the python method onto the scripted model"
    _DROP = "_drop (function is fully ignored, declaration can be unscriptable)"


_KINDS = {FunctionModifiers.UNUSED: "unused", FunctionModifiers.IGNORE: "ignore", FunctionModifiers.EXPORT: "export"}


def modifier_of(function):
    """How a function is marked, in one word; None where it is not."""
    return _KINDS.get(getattr(function, "_torchscript_modifier", None))


class _BroadcastingList:
    """A list of a fixed length in an annotation."""

    def __init__(self, length):
        self.length = length

    def __getitem__(self, element):
        return list[element]


BroadcastingListCls = _BroadcastingList
BroadcastingList1 = _BroadcastingList(1)
BroadcastingList2 = _BroadcastingList(2)
BroadcastingList3 = _BroadcastingList(3)
BroadcastingList4 = _BroadcastingList(4)
BroadcastingList5 = _BroadcastingList(5)
BroadcastingList6 = _BroadcastingList(6)


def boolean_dispatch(arg_name, arg_index, default, if_true, if_false, module_name, func_name):
    """A function that calls ``if_true`` or ``if_false`` by the value of one argument."""

    def dispatch(*args, **kwargs):
        flag = default
        if arg_name in kwargs:
            flag = kwargs[arg_name]
        elif arg_index < len(args):
            flag = args[arg_index]
        return if_true(*args, **kwargs) if flag else if_false(*args, **kwargs)

    dispatch.__name__ = dispatch.__qualname__ = func_name
    dispatch.__module__ = module_name
    dispatch.__doc__ = if_true.__doc__ or if_false.__doc__
    dispatch._boolean_dispatch = (arg_name, arg_index, default, if_true, if_false)
    return dispatch


# Declarations of overloaded functions that no body has taken over yet: {(module, qualified name): [function]}.
_overloads = {}

# Those that a body has taken over: {body: [function]}.
_taken = weakref.WeakKeyDictionary()

_EXAMPLE = """

Example usage of overload function:
@torch.jit._overload
def my_function(x: type0) -> type0: # decl 1
    pass

@torch.jit._overload
def my_function(x: type1) -> type1: # decl 2
    pass

def my_function(x):                 # implementation
    if isinstance(x, type0):
        return x
    elif isinstance(x, type1):
        return x
"""


def check_declaration(func):
    """Refuses a declaration that does something."""
    if func.__module__.startswith(("rushlight.", "torch.")):
        return
    import ast
    import textwrap

    text, _, _ = _source.source_of(func)
    body = ast.parse(textwrap.dedent(text)).body[0].body
    first = body[0]
    is_empty = isinstance(first, ast.Pass) or isinstance(first, ast.Expr) and getattr(first.value, "value", None) is Ellipsis
    if len(body) > 1 or not is_empty:
        shown = "\n".join(text.split("\n")[: first.lineno])
        raise RuntimeError(
            f"Only `pass` statement or `...` can be the body of overload declaration:\n{shown}"
            f" <- Expecting `pass` or `...` here!{_EXAMPLE}"
        )


def _overload(func):
    """Declares one way to call a function; the definition that follows without this mark is the body of all of them."""
    check_declaration(func)
    _overloads.setdefault((func.__module__, func.__qualname__), []).append(func)
    return func


def declared_overloads(function):
    """The overloads declared for a function: those that precede the first use of each body of their name are its own."""
    declarations = _overloads.get((function.__module__, function.__qualname__))
    if declarations:
        if function in declarations:
            raise RuntimeError(missing_body(function))
        del _overloads[function.__module__, function.__qualname__]
        _taken.setdefault(function, []).extend(declarations)
    return _taken.get(function, ())


def check_annotated(declaration):
    """Refuses a declaration of a method that says nothing of its types."""
    if declaration.__annotations__ or declaration.__module__.startswith(("rushlight.", "torch.")):
        return
    from ._resolve import qualified_function

    if not re.search(r"#\s*type:", _source.source_of(declaration)[0]):
        raise RuntimeError(f"Must explicitly add type annotations to overloaded functions: {qualified_function(declaration)}")


def missing_body(declaration, kind="function"):
    """What is wrong where only declarations of an overloaded function, or method, are there."""
    from ._resolve import qualified_function

    text, file, line = _source.source_of(declaration)
    return (
        f'Implementation for the {kind} "{qualified_function(declaration)}" is missing. Please make sure a definition is provided'
        f' and defined after all overload declarations.\nFile "{file}", line {line}:\n{text}{_EXAMPLE}'
    )


def rename_module(old, new):
    """Files what a module has declared under the name that its functions have from now on."""
    for module, name in [key for key in _overloads if key[0] == old]:
        declarations = _overloads[new, name] = _overloads.pop((module, name))
        for declaration in declarations:
            declaration.__module__ = new


def check_empty_containers(obj):
    """Warns of containers whose types are lost because they are empty."""
    from .jit import _names, _notices

    if _names._has_lost_types(obj):
        _notices.inner_type_is_lost()


def is_optional(annotation):
    """Whether an annotation is a type or None, and nothing else."""
    if typing.get_origin(annotation) not in (typing.Union, types.UnionType):
        return False
    parts = typing.get_args(annotation)
    return len(parts) == 2 and type(None) in parts


def get_callable_argument_names(fn):
    """The names of the parameters that may be given both by place and by name; none where a callable does not say."""
    import inspect

    try:
        parameters = inspect.signature(fn).parameters.values()
    except Exception:
        return []
    return [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]


@contextlib.contextmanager
def _disable_emit_hooks():
    """Runs what is inside as ever: nothing is told of what the compiler makes."""
    yield


def __getattr__(name):
    if name in ("_overload_method", "export", "ignore", "unused", "is_scripting", "Final"):
        from .jit import _names

        return getattr(_names, name)
    if name in ("Future", "Await", "RRef"):
        from . import futures

        if hasattr(futures, name):
            return getattr(futures, name)
    if not name.startswith("__"):
        from .jit import _internal_names

        if name in vars(_internal_names) and callable(getattr(_internal_names, name)):
            return getattr(_internal_names, name)
    raise AttributeError(f"module 'torch._jit_internal' has no attribute '{name}'")
