"""``torch.autograd.Variable``: the old name of tensors."""

from .. import _rushlight
from . import _engine

Tensor = _rushlight.Tensor


class _VariableMeta(type):
    def __instancecheck__(cls, other):
        return isinstance(other, Tensor)

    def __call__(cls, data=None, requires_grad=False, volatile=None):
        """The tensor itself, apart from what recorded it."""
        if _rushlight.is_tracing() and data is not None and data.requires_grad == requires_grad:
            return data  # the value that the trace knows
        out = Tensor() if data is None else data.detach()
        out.requires_grad = requires_grad
        return out


class _Engine:
    """What runs backwards, as far as programs ask for it."""

    queue_callback = staticmethod(_engine.queue_callback)


class Variable(metaclass=_VariableMeta):
    """Tensors, by their old name."""

    _execution_engine = _Engine()
