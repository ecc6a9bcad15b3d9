"""``torch.jit.mobile``: modules as phones run them, which here are modules that show their methods by name only."""

import os

from .._load import load_quietly

__all__ = ["LiteScriptModule"]


class LiteScriptModule:
    """A loaded module without its attributes and submodules."""

    def __init__(self, module):
        self._module = module

    def __call__(self, *inputs):
        return self.run_method("forward", *inputs)

    def forward(self, *inputs):
        """Runs ``forward``."""
        return self.run_method("forward", *inputs)

    def find_method(self, name):
        """Whether there is a method of a name."""
        return self._module._c._has_method(name)

    def run_method(self, name, *inputs):
        """Runs a method by name."""
        if not self.find_method(name):
            raise RuntimeError(f"Method '{name}' is not defined.")
        return getattr(self._module, name)(*inputs)


def _load_for_lite_interpreter(f, map_location=None):
    """Loads an archive, with or without bytecode, from a path or a file object."""
    if isinstance(f, (str, os.PathLike)):
        path = os.fspath(f)
        if not os.path.exists(path):
            raise ValueError(f"The provided filename {path} does not exist")
        if os.path.isdir(path):
            raise ValueError(f"The provided filename {path} is a directory")
    return LiteScriptModule(load_quietly(f, map_location))


def _export_operator_list(module):
    """The names of the operators that the methods of a loaded module call, with their overloads."""
    inner = module._module._c
    names = set()
    for method in inner._methods():
        _gather(inner._get_method(method).inlined_graph.nodes(), names)
    return names


def _gather(nodes, names):
    for node in nodes:
        if node.kind().startswith("aten::"):
            names.add(node.schema().partition("(")[0])
        for block in node.blocks():
            _gather(block.nodes(), names)
