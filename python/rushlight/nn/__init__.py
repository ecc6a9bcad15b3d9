"""``torch.nn``: modules, parameters, functional forms, initial values."""

import sys
import types

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


def factory_kwargs(kwargs):
    """The device, the dtype and the memory format of a module's keyword arguments, from ``factory_kwargs`` too."""
    if kwargs is None:
        return {}
    known = {"device", "dtype", "memory_format"}
    unexpected = set(kwargs) - known - {"factory_kwargs"}
    if unexpected:
        raise TypeError(f"unexpected kwargs {unexpected}")
    found = {name: value for name, value in kwargs.items() if name in known}
    for name, value in kwargs.get("factory_kwargs", {}).items():
        if name not in known:
            raise TypeError(f"unexpected kwargs {{{name!r}}}")
        if name in found:
            raise TypeError(f"{name} specified twice, in **kwargs and in factory_kwargs")
        found[name] = value
    return found


class _Whole(types.ModuleType):
    """This module until a program asks for its dictionary: then all families of modules are in it."""

    @property
    def __dict__(self):
        self.__class__ = types.ModuleType
        for name in __all__:
            getattr(self, name)
        self.DataParallel = __getattr__("DataParallel")
        return self.__dict__


def __dir__():
    return sorted({*globals(), *_SUBMODULES, *modules.__all__})


# Messages name it as any other module.
_Whole.__name__ = _Whole.__qualname__ = "module"
sys.modules[__name__].__class__ = _Whole
