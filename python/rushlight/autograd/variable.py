"""``torch.autograd.Variable``: the old name of tensors."""

from .. import _rushlight

Tensor = _rushlight.Tensor


class _VariableMeta(type):
    def __instancecheck__(cls, other):
        return isinstance(other, Tensor)

    def __call__(cls, data=None, requires_grad=False, volatile=None):
        """The tensor itself, apart from what recorded it."""
        out = Tensor() if data is None else data.detach()
        out.requires_grad = requires_grad
        return out


class Variable(metaclass=_VariableMeta):
    """Tensors, by their old name."""
