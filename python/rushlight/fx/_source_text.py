"""Functions from generated text: their source stays where tracebacks and the compiler look for it."""

import itertools
import linecache
import weakref

from . import _wrapping

_numbers = itertools.count()


def file_name(co_fields):
    """The name of the file that a function would stand in."""
    name = f"<eval_with_key>.{next(_numbers)}"
    if co_fields:
        name += f" from {co_fields['co_filename']}:{co_fields['co_firstlineno']} in {co_fields['co_name']}"
    return name

def function_from(source, names, called="forward", co_fields=None):
    """The function that a text defines under a name; ``names`` are what it sees."""
    names = dict(names)
    file = file_name(co_fields)
    lines = [line + "\n" for line in source.split("\n")]
    linecache.cache[file] = (len(source), None, lines, file)
    exec(compile(source, file, "exec"), names)
    # Nothing else holds the function, so that what is kept of it goes with it.
    function = names.pop(called)
    weakref.finalize(function, _forget, file, id(names))
    return function


def _forget(file, names):
    linecache.cache.pop(file, None)
    _wrapping.forget(names)
