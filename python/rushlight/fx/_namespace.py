"""Names that are still free: of nodes in a graph, of variables and globals in generated code."""

import builtins
import keyword
import math
import re
from typing import NamedTuple

from .._rushlight import device


class _CustomBuiltin(NamedTuple):
    """A name that generated code knows besides Python's own, and the import that makes it known."""

    import_str: str
    obj: object


_custom_builtins = {}


def _register_custom_builtin(name, import_str, obj):
    _custom_builtins[name] = _CustomBuiltin(import_str, obj)


def _register_ours():
    import rushlight

    from ..utils import _pytree
    from . import _pytree as fx_pytree

    _register_custom_builtin("inf", "from math import inf", math.inf)
    _register_custom_builtin("nan", "from math import nan", math.nan)
    _register_custom_builtin("NoneType", "NoneType = type(None)", type(None))
    _register_custom_builtin("torch", "import torch", rushlight)
    _register_custom_builtin("device", "from torch import device", device)
    _register_custom_builtin("fx_pytree", "import torch.fx._pytree as fx_pytree", fx_pytree)
    _register_custom_builtin("pytree", "import torch.utils._pytree as pytree", _pytree)


_register_ours()

_ILLEGAL = re.compile(r"[^0-9a-zA-Z_]+")
_NUMBERED = re.compile(r"(.*)_(\d+)$")


def _is_magic(name):
    return name.startswith("__") and name.endswith("__")


def _snake_case(text):
    """``BatchNorm2d`` as ``batch_norm2d``: a capital after a small letter begins a word."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", text).lower()


def _taken_by_python(name, obj):
    """Whether a name means something in generated code already, other than this object."""
    if name in keyword.kwlist:
        return True
    if name in builtins.__dict__:
        return obj is not builtins.__dict__[name]
    if name in _custom_builtins:
        return obj is not _custom_builtins[name].obj
    return False


class _Namespace:
    """Hands out names, each once; an object gets the same name again."""

    def __init__(self):
        self._obj_to_name = {}
        self._used_names = set()
        # The highest number that follows a name.
        self._highest = {}

    def create_name(self, candidate, obj):
        """A free name like ``candidate`` for an object, or for nothing in particular (None)."""
        if obj is not None and obj in self._obj_to_name:
            return self._obj_to_name[obj]
        candidate = _ILLEGAL.sub("_", candidate) or "_unnamed"
        if candidate[0].isdigit():
            candidate = f"_{candidate}"
        match = _NUMBERED.match(candidate)
        base, number = (match.group(1), int(match.group(2))) if match else (candidate, None)
        while candidate in self._used_names or _taken_by_python(candidate, obj):
            number = max(number or 0, self._highest.get(base, 0)) + 1
            candidate = f"{base}_{number}"
        self._used_names.add(candidate)
        self._highest[base] = max(self._highest.get(base, 0), number or 0)
        if obj is not None:
            self._obj_to_name[obj] = candidate
        return candidate

    def associate_name_with_obj(self, name, obj):
        """Gives an object a name that is in use already."""
        assert self._obj_to_name.setdefault(obj, name) is name, "obj is already associated"

    def _rename_object(self, obj, name):
        self._obj_to_name[obj] = name
        self._used_names.add(name)
