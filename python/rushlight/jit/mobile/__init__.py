"""``torch.jit.mobile``: modules as phones run them, which here are modules that show their methods by name only."""

import io
import os
import pickle
import re

from ... import _rushlight
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
    _check_path(f)
    return LiteScriptModule(load_quietly(f, map_location))


def _check_path(f):
    if not isinstance(f, (str, os.PathLike)):
        return
    path = os.fspath(f)
    if not os.path.exists(path):
        raise ValueError(f"The provided filename {path} does not exist")
    if os.path.isdir(path):
        raise ValueError(f"The provided filename {path} is a directory")


# What follows in messages about archives that lack something.
_DAMAGED = (
    " This is an internal miniz error. If you are seeing this error, there is a high likelihood that your checkpoint file is corrupted. "
    "This can happen if the checkpoint was not saved properly, was transferred incorrectly, or the file was modified after saving."
)


def _unseen(*_):
    """Stands for tensors among the constants: nothing here looks at them."""


# What bytecode is made of beside tuples, texts and numbers.
_PARTS = {
    **{f"torch.jit._pickle.build_{kind}list": list for kind in ("int", "double", "bool", "tensor")},
    "torch.jit._pickle.restore_type_tag": lambda value, tag: value,
    "torch._utils._rebuild_tensor_v2": _unseen,
    "collections.OrderedDict": dict,
}


class _Plain(pickle.Unpickler):
    """Reads bytecode without making tensors."""

    def find_class(self, module, name):
        if module == "torch" and name.endswith("Storage"):
            return _unseen
        found = _PARTS.get(f"{module}.{name}")
        if found is None:
            raise pickle.UnpicklingError(f"bytecode has no {module}.{name}")
        return found

    def persistent_load(self, pid):
        return None


def _bytecode(f):
    """What an archive has beside its source for lite interpreters: a version, then functions."""
    _check_path(f)
    if isinstance(f, (str, os.PathLike)):
        with open(f, "rb") as file:
            data = file.read()
    else:
        data = f.read()
    if not data.startswith(b"PK"):
        raise RuntimeError("Unrecognized data format")
    found = _rushlight.read_archive(data).get("bytecode.pkl")
    if found is None:
        raise RuntimeError(f"PytorchStreamReader failed locating file bytecode.pkl: file not found.{_DAMAGED}")
    return _Plain(io.BytesIO(found)).load()


def _get_model_bytecode_version(f_input):
    """The version of the bytecode in an archive; modules that are saved here have none."""
    return _bytecode(f_input)[0]


class _OperatorInfo:
    """How many arguments a call of an operator brings."""

    def __init__(self, num_schema_args):
        self.num_schema_args = num_schema_args


def _get_model_ops_and_info(f_input):
    """The operators that the bytecode in an archive calls, by name and overload, with the number of their arguments."""
    found = {}
    for _, tables, *_ in _bytecode(f_input)[1:]:
        for name, overload, *count in dict(tables)["operators"]:
            found[f"{name}.{overload}" if overload else name] = _OperatorInfo(*(count or [None]))
    return found


def _get_mobile_model_contained_types(f_input):
    """The names of the types that the bytecode in an archive makes values of."""
    found = set()
    for _, tables, *_ in _bytecode(f_input)[1:]:
        for text in dict(tables)["types"]:
            found.update(re.findall(r"[A-Za-z_][\w.]*", text))
    return found


def _no_bytecode(*args, **kwargs):
    """Refused: bytecode is read and not written."""
    raise NotImplementedError("Rushlight writes no bytecode: archives hold source, which lite interpreters of other builds cannot run")


_backport_for_mobile = _backport_for_mobile_to_buffer = _no_bytecode


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
