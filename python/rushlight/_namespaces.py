"""Namespaces of operators: ``torch.special``, ``torch.linalg``, ``torch.fft``, ``torch.ops``, ..."""

import types

from . import _rushlight


class Builtins(types.ModuleType):
    """A module whose attributes are operators under a prefix."""

    def __init__(self, path, prefix):
        super().__init__(path)
        self.__path__ = []
        self._rushlight_path = path
        self._prefix = prefix

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        operator = self._prefix + name
        if not _rushlight.has_operator(operator):
            raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")
        found = _rushlight.Builtin(operator, f"{self._rushlight_path}.{name}")
        setattr(self, name, found)
        return found


class Operators(types.ModuleType):
    """``torch.ops``: each attribute is a namespace of operators."""

    def __init__(self):
        super().__init__("torch.ops")
        self.__path__ = []
        self._rushlight_path = "torch.ops"

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        space = Builtins(f"torch.ops.{name}", f"{name}::")
        setattr(self, name, space)
        return space


class Internals(Builtins):
    """``torch._C``: what shows graphs, types and schemas, besides the operators."""

    def __getattr__(self, name):
        from . import _introspection

        found = _introspection.lookup(name)
        if found is None:
            return super().__getattr__(name)
        setattr(self, name, found)
        return found


_internal = Internals("torch._C", "aten::")
for _name in ("_nn", "_special", "_linalg", "_fft"):
    setattr(_internal, _name, Builtins(f"torch._C.{_name}", "aten::"))
_internal._get_max_operator_version = lambda: 10


def _get_tracing_state():
    """The trace that is being recorded, or None."""
    from .jit import _trace

    return _trace._active.tracer if _trace._active is not None else None


_internal._get_tracing_state = _get_tracing_state


def _switch(on):
    """A switch of the reference's executors, which are on there; here it changes nothing."""
    return True


for _name in ("_jit_set_profiling_executor", "_jit_set_profiling_mode", "_jit_set_texpr_fuser_enabled"):
    setattr(_internal, _name, _switch)

NAMESPACES = {
    "_C": _internal,
    "special": Builtins("torch.special", "aten::special_"),
    "linalg": Builtins("torch.linalg", "aten::linalg_"),
    "fft": Builtins("torch.fft", "aten::fft_"),
    "_VF": Builtins("torch._VF", "aten::"),
    "ops": Operators(),
}
