"""Modules of Python's own packages that are there once the reference is imported, and that programs take without importing them.

``multiprocessing.connection`` after ``import torch, multiprocessing`` is one. They are loaded when they are first asked for.
"""

import importlib
import importlib.machinery
import sys

_PARTS = {
    "concurrent": frozenset(("futures",)),
    "concurrent.futures": frozenset(("thread",)),
    "ctypes": frozenset(("util",)),
    "email": frozenset(("charset", "encoders", "errors", "feedparser", "header", "iterators", "message", "parser", "utils")),
    "http": frozenset(("client",)),
    "importlib": frozenset(("abc", "machinery", "metadata", "resources", "util")),
    "json": frozenset(("decoder", "encoder", "scanner")),
    "multiprocessing": frozenset((
        "connection", "context", "process", "reduction", "resource_sharer", "resource_tracker", "spawn", "util",
    )),
    "unittest": frozenset(("case", "loader", "main", "mock", "result", "runner", "signals", "suite", "util")),
    "urllib": frozenset(("error", "parse", "request", "response")),
}


def _complete(module):
    """Lets a package answer for modules of it that nobody has imported."""
    names, before = _PARTS[module.__name__], getattr(module, "__getattr__", None)

    def __getattr__(name):
        if name in names:
            return importlib.import_module(f"{module.__name__}.{name}")
        if before is not None:
            return before(name)
        raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")

    module.__getattr__ = __getattr__


class PartsFinder:
    """Finds the packages above as usual, and completes them once they are loaded."""

    def find_spec(self, name, path=None, target=None):
        if name not in _PARTS:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        loader = getattr(spec, "loader", None)
        if loader is not None:
            execute = loader.exec_module

            def exec_module(module):
                execute(module)
                _complete(module)

            loader.exec_module = exec_module
        return spec


def install():
    """Completes the packages that are loaded, and those that will be."""
    for name in _PARTS:
        if name in sys.modules:
            _complete(sys.modules[name])
    sys.meta_path.insert(0, PartsFinder())
