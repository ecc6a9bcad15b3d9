"""The source text of live functions and classes.

Functions are cut out of their files by indentation, without tokenizing: scripting a model asks for many of them. The
extension does it for plain files; what ``linecache`` knows otherwise is cut out here.
"""

import linecache
import os
import re

from . import _rushlight

# What may hide the end of a line or of a block: strings, comments, brackets, escapes.
_MARKS = re.compile(r'"""|\'\'\'|"|\'|#|[()\[\]{}]|\\.')


class _Scanner:
    """Follows strings and brackets from line to line."""

    def __init__(self):
        self.quote = None
        self.depth = 0
        self.continued = False

    def inside(self):
        """Whether the next line continues this one."""
        return self.quote is not None or self.depth > 0 or self.continued

    def feed(self, line):
        """Takes in a line."""
        self.continued = self.quote is None and line.rstrip("\n").endswith("\\")
        for match in _MARKS.finditer(line):
            mark = match.group()
            if self.quote is not None:
                if mark == self.quote:
                    self.quote = None
            elif mark == "#":
                self.continued = False
                return
            elif mark[0] in "\"'":
                self.quote = mark
            elif mark in "([{":
                self.depth += 1
            elif mark in ")]}":
                self.depth -= 1
        if self.quote in ('"', "'"):
            self.quote = None  # such strings end with their line


def _block(lines, first):
    """The lines of the definition that starts, with its decorators, at index ``first``."""
    start = lines[first]
    base = len(start) - len(start.lstrip())
    scanner = _Scanner()
    header = False
    end = first
    for i in range(first, len(lines)):
        line = lines[i]
        if not scanner.inside():
            text = line.strip()
            indent = len(line) - len(line.lstrip())
            if text and header and indent <= base and not text.startswith("#"):
                break
            header = header or text.startswith(("def ", "async def ", "class "))
            if text and not (text.startswith("#") and indent <= base):
                end = i
        else:
            end = i
        scanner.feed(line)
    return lines[first : end + 1]


def _of_code(function):
    """(lines, file, first line) of a plain function, None where the file does not show it."""
    code = function.__code__
    file = code.co_filename
    first = code.co_firstlineno - 1
    if function.__name__ == "<lambda>":
        return None
    linecache.checkcache(file)
    if file not in linecache.cache:
        text = _rushlight.definition_in_file(file, first)
        if text is not None:
            return [text], file, first + 1
    lines = linecache.getlines(file, function.__globals__)
    if first >= len(lines):
        return None
    if not lines[first].lstrip().startswith(("def ", "async def ", "@")):
        return None
    return _block(lines, first), file, first + 1


def syntax_error(text):
    """What Python has to say against a text that is no definition; None where it has nothing."""
    import ast
    import textwrap

    try:
        ast.parse(textwrap.dedent(text))
    except SyntaxError as error:
        return error
    return None


def _functions_in(cls):
    """The functions that stand in the definition of a class."""
    for member in vars(cls).values():
        function = getattr(member, "__func__", getattr(member, "fget", member))
        code = getattr(function, "__code__", None)
        if code is not None and getattr(function, "__qualname__", None) == f"{cls.__qualname__}.{function.__name__}":
            yield function


def _of_class(cls):
    """(lines, file, first line) of a class, found above its first function: a file may have several of one name."""
    functions = [f for f in _functions_in(cls) if not f.__code__.co_filename.startswith("<")]
    if not functions:
        return None
    first = min(functions, key=lambda f: f.__code__.co_firstlineno)
    file = first.__code__.co_filename
    lines = linecache.getlines(file, first.__globals__)
    at = first.__code__.co_firstlineno - 1
    if at >= len(lines):
        return None
    inner = len(lines[at]) - len(lines[at].lstrip())
    start = re.compile(rf"\s*class\s+{re.escape(cls.__name__)}\b")
    while at >= 0 and not (start.match(lines[at]) and len(lines[at]) - len(lines[at].lstrip()) < inner):
        at -= 1
    if at < 0:
        return None
    base = len(lines[at]) - len(lines[at].lstrip())
    while at > 0 and lines[at - 1].startswith(" " * base + "@"):
        at -= 1
    return _block(lines, at), file, at + 1


def source_of(obj):
    """(text, file, first line) of a function or class."""
    function = obj
    if hasattr(obj, "__wrapped__"):
        import inspect

        function = inspect.unwrap(obj)
    try:
        found = _of_class(obj) if isinstance(obj, type) else None
        if hasattr(function, "__code__"):
            found = _of_code(function)
        if found is None:
            import inspect

            lines, line = inspect.getsourcelines(obj)
            found = lines, inspect.getsourcefile(obj) or "<unknown>", max(line, 1)
    except (OSError, TypeError) as error:
        raise OSError(
            f"Can't get source for {obj}. TorchScript requires source access in order to carry out compilation, "
            "make sure original .py files are available."
        ) from error
    lines, file, line = found
    return "".join(lines), _shown(file), line


# Sources of the standard library go by the names of its modules, wherever the package is: archives do not depend on it.
_LIBRARY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "nn", "")


def _shown(file):
    """The name under which scripts show a file."""
    if not file.startswith(_LIBRARY):
        return file
    return "torch/nn/" + file[len(_LIBRARY) :].replace(os.sep, "/")


def defaults_of(function):
    """The default values of a function's parameters, by name."""
    code = function.__code__
    values = function.__defaults__ or ()
    if code.co_argcount < len(values):
        # The code asks the arguments first (`_overriding`); the signature is that of the function.
        parameters = function.__signature__.parameters.values()
        return {each.name: each.default for each in parameters if each.default is not each.empty}
    names = code.co_varnames[code.co_argcount - len(values) : code.co_argcount]
    return {**dict(zip(names, values)), **(function.__kwdefaults__ or {})}
