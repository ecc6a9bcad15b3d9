"""``torch.classes``: classes that programs register from C++. None can be registered here."""

import sys
import types


class _Namespace(types.ModuleType):
    """The classes under a name."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        space = self.__name__.removeprefix("torch.classes.")
        raise RuntimeError(
            f"Tried to instantiate class '{space}.{name}', but it does not exist! Ensure that it is registered via torch::class_"
        )


class _Classes(types.ModuleType):
    """``torch.classes``: each attribute is a namespace of classes."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        space = _Namespace("torch.classes." + name)
        setattr(self, name, space)
        return space

    def load_library(self, path):
        """Refuses: libraries of the reference's classes cannot be loaded."""
        raise NotImplementedError("torch.classes.load_library: Rushlight cannot load C++ libraries of PyTorch")


sys.modules[__name__].__class__ = _Classes
