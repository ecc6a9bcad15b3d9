"""Warnings that PyTorch's ``torch.jit`` gives and programs may record.

PyTorch announces the end of ``torch.jit``; Rushlight is where it goes on. The announcements are made all the same, for
programs that record warnings and print them, and are kept from the screen by a filter that the package sets.
"""

import re
import warnings

_NEXT = "Please switch to `torch.compile` or `torch.export`."
_EXPORT = "Please switch to `torch.export`."
_COMPILE = "Please use `torch.compile` instead."
# What is announced, by the function that announces it.
_ADVICE = {
    "script": _NEXT, "script_method": _NEXT, "trace": _NEXT, "trace_method": _NEXT,
    "save": _EXPORT, "load": _EXPORT,
    "freeze": _COMPILE, "optimize_for_inference": _COMPILE, "fork": _COMPILE, "wait": _COMPILE, "interface": _COMPILE,
    "set_fusion_strategy": _COMPILE,
}


def announce(name, category=FutureWarning):
    """Gives the warning of a function."""
    warnings.warn(f"`torch.jit.{name}` is deprecated. {_ADVICE[name]}", category, stacklevel=3)


def lite_interpreter_ends():
    """Gives both warnings of what saves for lite interpreters."""
    for category, gap in ((DeprecationWarning, 13), (FutureWarning, 17)):
        warnings.warn(
            "Lite Interpreter is deprecated. Please consider switching to ExecuTorch."
            + " " * gap + "https://docs.pytorch.org/executorch/stable/getting-started.html", category, stacklevel=3,
        )  # fmt: skip


def optimize_has_no_effect():
    """Gives the warning for the argument ``optimize`` of functions that once had one."""
    warnings.warn(
        "`optimize` is deprecated and has no effect. Use `with torch.jit.optimized_execution()` instead",
        FutureWarning,
        stacklevel=3,
    )


def ignored_calls_are_dropped(how):
    """Gives the warning for ``ignore`` with arguments."""
    warnings.warn(
        f"ignore({how}) has been deprecated. TorchScript will now drop the function call on compilation. Use "
        "torch.jit.unused now. {}",
        FutureWarning,
        stacklevel=3,
    )


def inner_type_is_lost():
    """Gives the warning for an empty container that ``isinstance`` cannot look into."""
    warnings.warn(
        "The inner type of a container is lost when calling torch.jit.isinstance in eager mode. For example, List[int] "
        "would become list and therefore falsely return True for List[float] or List[str].",
        stacklevel=4,
    )


def annotation_is_not_seen():
    """Gives the warning for an attribute that ``__init__`` annotates and leaves empty."""
    warnings.warn(
        "The TorchScript type system doesn't support instance-level annotations on empty non-base types in `__init__`. "
        "Instead, either 1) use a type annotation in the class body, or 2) wrap the type in `torch.jit.Attribute`.",
        stacklevel=4,
    )


_ANNOTATED = re.compile(r"self\.\w+\s*:")


def unseen_annotations(cls):
    """The attributes that ``__init__`` of a class annotates and leaves empty, with no annotation in the class body."""
    init = cls.__dict__.get("__init__")
    if init is None:
        return []
    from .._source import source_of

    try:
        text = source_of(init)[0]
    except OSError:
        return []
    if not _ANNOTATED.search(text):
        return []
    import ast
    import textwrap

    try:
        tree = ast.parse(textwrap.dedent(text))
    except SyntaxError:
        return []
    known = getattr(cls, "__annotations__", {})
    found = (node for node in ast.walk(tree) if isinstance(node, ast.AnnAssign))
    return [node.target.attr for node in found if _is_unseen(ast, node) and node.target.attr not in known]


def _is_unseen(ast, node):
    target, annotation, value = node.target, node.annotation, node.value
    of_self = isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == "self"
    if not (of_self and isinstance(annotation, ast.Subscript) and isinstance(annotation.value, ast.Name)):
        return False
    # Only what is empty: from anything else a type can be told. Of Python's own containers nothing is looked at.
    return {
        "List": isinstance(value, ast.List) and not value.elts,
        "Dict": isinstance(value, ast.Dict) and not value.keys,
        "Optional": isinstance(value, ast.Constant) and not value.value,
        "list": True,
        "dict": True,
    }.get(annotation.value.id, False)
