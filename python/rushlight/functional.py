"""``torch.functional``: functions whose arguments or results say which operator is meant. Other names are operators.

They are for Python; a script that names them gets the operator of that name.
"""

from . import _rushlight
from ._functional import cdist, norm, stft, tensordot  # noqa: F401
from ._names import Size
from ._rushlight import Tensor
from ._unique import unique, unique_consecutive  # noqa: F401


def _operator(name):
    return _rushlight.Builtin("aten::" + name, "torch." + name)


def broadcast_shapes(*shapes):
    """The shape that tensors of these shapes broadcast to."""
    sizes = [[shape] if isinstance(shape, int) else list(shape) for shape in shapes]
    return Size(_operator("broadcast_shapes")(*sizes))


def _method(function):
    def method(self, *arguments, **named):
        return function(self, *arguments, **named)

    method.__name__, method.__doc__ = function.__name__, function.__doc__
    return method


for _name in ("norm", "stft", "unique", "unique_consecutive"):
    setattr(Tensor, _name, _method(globals()[_name]))
del _name


def __getattr__(name):
    """The operator of a name."""
    if name.startswith("__") or not _rushlight.has_operator("aten::" + name):
        raise AttributeError(f"module 'torch.functional' has no attribute '{name}'")
    return _operator(name)
