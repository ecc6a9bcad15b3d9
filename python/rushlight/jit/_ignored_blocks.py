"""``with torch.jit._IgnoreContextManager(a="inp:int", b="out:int"):`` in scripts: what stands inside runs as plain Python."""

import ast
import re
import textwrap
import typing

from ._names import ignore

MARK = "_IgnoreContextManager"


class _IgnoreContextManager:
    """In a script, what stands inside runs as plain Python, given the ``inp`` and giving the ``out`` variables; outside scripts nothing else happens."""

    def __init__(self, **kwargs):
        pass

    def __enter__(self):
        return None

    def __exit__(self, kind, value, trace):
        return None


_IgnoreContextManager.__module__ = "torch._jit_internal"


def _marked(statement):
    """The call that opens such a block, or None."""
    if not isinstance(statement, ast.With) or len(statement.items) != 1:
        return None
    call = statement.items[0].context_expr
    name = getattr(getattr(call, "func", None), "attr", None) or getattr(getattr(call, "func", None), "id", None)
    return call if isinstance(call, ast.Call) and name == MARK else None


def _variables(call):
    """The variables that a block is given and those that it gives: (name, type) of each."""
    given, taken = [], []
    for keyword in call.keywords:
        text = getattr(keyword.value, "value", None)
        way, colon, kind = text.partition(":") if isinstance(text, str) else ("", "", "")
        if not colon:
            raise ValueError(f"{MARK} takes variables as name='inp:type' or name='out:type', not {ast.unparse(keyword)}")
        # Others mean nothing, as in the reference.
        if way in ("inp", "out"):
            (given if way == "inp" else taken).append((keyword.arg, kind.strip()))
    return given, taken


def _function(name, statement, given, taken, namespace):
    """The function that does what a block does."""
    types = [kind for _, kind in taken]
    result = "None" if not types else types[0] if len(types) == 1 else f"typing.Tuple[{', '.join(types)}]"
    body = "\n".join(map(ast.unparse, statement.body))
    results = ", ".join(variable for variable, _ in taken)
    parameters = ", ".join(f"{variable}: {kind}" for variable, kind in given)
    source = f"def {name}({parameters}) -> {result}:\n{textwrap.indent(body, '    ')}\n    return {results or None}\n"
    import rushlight

    typed = {each: getattr(typing, each) for each in ("Any", "Dict", "List", "Optional", "Tuple", "Union")}
    made = {"torch": rushlight, "typing": typing, **typed, **namespace}
    exec(source, made)
    function = ignore(made[name])
    from .._resolve import FunctionScope

    # No file has its source.
    function._rushlight_info = {
        "key": function, "name": name, "qualified": f"__torch__.{name}", "source": source, "file": "<string>", "line": 1,
        "scope": FunctionScope(function), "defaults": {}, "observed": [],
    }  # fmt: skip
    return function


def taken_out(text, file, names):
    """The text of a function with calls in the place of such blocks, with as many lines; and the functions that these call."""
    lines = text.splitlines(keepends=True)
    indent = len(lines[0]) - len(lines[0].lstrip())
    tree = ast.parse(textwrap.dedent(text))
    made = {}
    for statement in ast.walk(tree):
        call = _marked(statement)
        if call is None:
            continue
        given, taken = _variables(call)
        name = "func_ignore_" + re.sub("[^0-9a-zA-Z]", "_", file) + f"_{statement.lineno}"
        made[name] = _function(name, statement, given, taken, names)
        arguments = ", ".join(variable for variable, _ in given)
        results = ", ".join(variable for variable, _ in taken)
        first, last = statement.lineno - 1, statement.end_lineno
        written = " " * (indent + statement.col_offset) + (f"{results} = " if results else "") + f"{name}({arguments})\n"
        lines[first:last] = [written, *["\n"] * (last - first - 1)]
    return "".join(lines), made
