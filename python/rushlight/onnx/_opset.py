"""Modules with the operators of one version of ONNX: they are named at import, and raise when they are called."""

from . import _refuse


def functions(module):
    """What gives a module a function under every name: it refuses."""

    def __getattr__(name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _refuse(f"{module.rpartition('.')[2]}.{name}")

    return __getattr__
