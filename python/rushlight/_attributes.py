"""Attributes of tensors that Python answers: those that programs may not set say so in the reference's words."""

from . import _rushlight


class _Attribute(property):
    """An attribute of the class of tensors."""

    def __repr__(self):
        return f"<attribute '{self.fget.__name__}' of 'torch._C.TensorBase' objects>"


def read_only(name, answer, doc):
    """Gives tensors an attribute that nobody sets."""

    def get(self):
        return answer(self)

    def refuse(self, value=None):
        raise AttributeError(f"attribute '{name}' of 'torch._C.TensorBase' objects is not writable")

    get.__name__ = get.__qualname__ = name
    setattr(_rushlight.Tensor, name, _Attribute(get, refuse, refuse, doc))
