"""The imports that generated code needs, and the names that they bring."""

from . import _targets
from ._namespace import _custom_builtins


def import_statement(name, obj):
    """The line that makes an object known under a name."""
    if name in _custom_builtins:
        return _custom_builtins[name].import_str
    if _targets.qualified_name(obj) == name and "." not in name:
        return f"import {name}" if hasattr(obj, "__path__") else ""
    home, attribute = _targets.module_of(obj), obj.__name__
    if home == "torch.Tensor":
        return f"import torch\n{name} = torch.Tensor.{attribute}"
    return f"from {home} import {attribute} as {name}"


def import_block(names):
    """The lines for all names of a function, each once, in the order of their text."""
    return "\n".join(sorted({line for line in (import_statement(name, obj) for name, obj in names.items()) if line}))
