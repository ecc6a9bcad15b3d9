"""Names under which our own standard library is known: a class written in ``nn/modules/linear.py`` is ``torch.nn.modules.linear.Linear``."""

import sys
import types

from . import _jit_internal


def publish(namespace, module=None):
    """Gives the functions and classes of a file the name of the public module that they belong to."""
    own = namespace["__name__"]
    # Where the alias is in force, classes say `torch` from the start.
    adopted = "torch" + own.removeprefix("rushlight")
    public = module or adopted
    for member in list(namespace.values()):
        if isinstance(member, (types.FunctionType, type)) and getattr(member, "__module__", None) in (own, adopted):
            member.__module__ = public
    _jit_internal.rename_module(own, public)
    names = sys.modules.get("rushlight.jit._names")
    if names is not None:
        names.rename_module(own, public)


def is_compiled(module_name):
    """Whether the functions of a module are scripts written here, to be compiled when a script calls them."""
    modules = ("torch.nn.", "rushlight.nn.", "torch.ao.", "rushlight.ao.")
    return module_name.startswith(modules) or module_name in ("torch.functional", "torch.compiler")


def __getattr__(name):
    """What the reference keeps under this name: how programs define operators."""
    homes = {"custom_ops": "definition", "infer_schema": "infer"}
    if name not in homes:
        raise AttributeError(f"module 'torch._library' has no attribute '{name}'")
    from importlib import import_module

    return import_module("._custom." + homes[name], __package__)
