"""``torch.nn``: modules, parameters, functional forms, initial values."""

from .parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter  # noqa: F401
from .modules.module import Module  # noqa: F401
from .modules.container import (  # noqa: F401
    Container,
    ModuleDict,
    ModuleList,
    ParameterDict,
    ParameterList,
    Sequential,
)
from . import attention, modules, parameter  # noqa: F401

_SUBMODULES = (
    "parallel", "functional", "grad", "init", "utils", "common_types", "_reduction", "quantized", "intrinsic", "qat", "quantizable",
)
__all__ = [*modules.__all__, "Parameter", "Buffer", "functional", "init", "utils", "modules", "parameter"]


def __getattr__(name):
    """Families of modules and the larger parts load when they are first used."""
    if name in _SUBMODULES:
        import importlib

        return importlib.import_module("." + name, __package__)
    if name == "DataParallel":
        from .parallel import DataParallel

        return DataParallel
    if name.startswith("__") or name not in modules.__all__:
        raise AttributeError(f"module 'torch.nn' has no attribute '{name}'")
    found = globals()[name] = getattr(modules, name)
    return found


def __dir__():
    return sorted({*globals(), *_SUBMODULES, *modules.__all__})
