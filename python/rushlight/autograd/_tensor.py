"""What tensors have for gradients: ``backward``, ``grad``, ``grad_fn``, hooks."""

import collections
import sys
import weakref

from .. import _rushlight
from .._attributes import read_only
from .._names import strided
from ..utils.hooks import RemovableHandle
from ._engine import node_of

Tensor = _rushlight.Tensor

# Which transforms of functions run; not loaded before the first.
_LEVELS = __name__.removesuffix("autograd._tensor") + "_functorch._levels"

# Where a tensor keeps a gradient that is sparse.
_SPARSE = "_sparse_grad"

_no_table = collections.OrderedDict()

# Nodes of tensors whose hooks are not called: a part of a graph is run that stands for one call in another run.
muted = collections.Counter()


class _Hook(collections.OrderedDict):
    """The table of one hook: what its handle takes it out of."""

    def __init__(self, tensor):
        super().__init__()
        self.tensor = weakref.ref(tensor)
        self.number = None

    def pop(self, key, default=None):
        tensor = self.tensor()
        if tensor is not None and key in self:
            _rushlight.remove_hook(tensor, self.number)
        return super().pop(key, default)

    def __call__(self, value):
        if muted and (tensor := self.tensor()) is not None and node_of(tensor) in muted:
            return None
        # Empty when the hook was taken away while its tensor was not at hand.
        for hook in self.values():
            return hook(value)


def _add(tensor, hook, add):
    """Adds a hook by one of the extension's functions, and returns its handle."""
    table = _Hook(tensor)
    handle = RemovableHandle(table)
    table[handle.id] = hook
    table.number = add(tensor, table)
    return handle


class _Handle(RemovableHandle):
    """Takes a hook away that no table of Python keeps: `remove` does it."""

    def __init__(self, remove):
        super().__init__(_no_table)
        self._remove = remove

    def remove(self):
        """Takes the hook away; a second time does nothing."""
        remove, self._remove = self._remove, None
        if remove is not None:
            remove()


def _node_handle(node, number):
    return _Handle(lambda: node._remove_hook(number))


_rushlight.register("node_handle", _node_handle)


def _backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):
    """Adds the gradients of this tensor to ``.grad`` of the leaves that it comes from."""
    from . import backward

    levels = sys.modules.get(_LEVELS)
    if levels is not None and levels.current():
        from .._functorch._batched import NO_BACKWARD

        raise RuntimeError(NO_BACKWARD)
    backward(self, gradient, retain_graph, create_graph, inputs=inputs)


def _grad(self):
    """The gradient that runs backwards have added up; None before the first."""
    grad = _rushlight.grad_of(self)
    if grad is None and (held := self.__dict__.get(_SPARSE)) is not None:
        return held
    if grad is None and self.requires_grad and _rushlight.is_computed(self) and not _rushlight.keeps_grad(self):
        import warnings

        warnings.warn(
            "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
            "populated during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf "
            "Tensor, use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure "
            "you access the leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 for more information.",
            stacklevel=2,
        )
    return grad


def _set_grad(self, grad):
    if grad is None:
        _delete_grad(self)
        return
    if not isinstance(grad, Tensor):
        raise TypeError(f"assigned grad expected to be a Tensor or None but got grad of type {type(grad).__name__}")
    if grad is self:
        raise RuntimeError("can't assign Variable as its own grad")
    if grad.dtype != self.dtype:
        from ..storage import SPELLINGS

        (given, _), (_, own) = (SPELLINGS.get(one.name, (one.name, one.name)) for one in (grad.dtype, self.dtype))
        raise RuntimeError(
            f"attempting to assign a gradient with dtype '{given}' to a tensor with grad_dtype '{own}'. The gradient must match the "
            "tensor's grad_dtype (defaults to the tensor's dtype). You can set the tensor's grad_dtype attribute with a specific "
            "dtype, or None to allow any dtype. Set grad_dtype with caution. Diverging the dtypes of a tensor and its "
            "gradient may break downstream systems that assume they match."
        )
    if grad.shape != self.shape:
        raise RuntimeError(
            f"attempting to assign a gradient of size '{list(grad.shape)}' to a tensor of size '{list(self.shape)}'. Please "
            "ensure that the gradient and the tensor are the same size"
        )
    if grad.layout != strided:
        # Its elements are Python's, not the engine's.
        _rushlight.set_grad(self, None)
        self.__dict__[_SPARSE] = grad
        return
    self.__dict__.pop(_SPARSE, None)
    _rushlight.set_grad(self, grad)
    _rushlight.remember_tensor(grad)


def _delete_grad(self):
    self.__dict__.pop(_SPARSE, None)
    _rushlight.set_grad(self, None)


def _register_hook(self, hook):
    """Calls ``hook(grad)`` when the gradient of this tensor is known; what it returns takes the gradient's place."""
    if not self.requires_grad:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    return _add(self, _checked(hook), _rushlight.add_hook)


def _checked(hook):
    """The hook, whose answer has to be of the gradient's sizes and type."""

    def call(gradient):
        answer = hook(gradient)
        if isinstance(answer, Tensor):
            check_answer(answer, gradient, getattr(hook, "__name__", "<unknown>"))
        return answer

    return call


def check_answer(answer, gradient, name):
    """Refuses what a hook of a name gives in the place of a gradient, unless it is a tensor like that."""
    if not isinstance(answer, Tensor):
        raise TypeError(f"expected Variable, but hook returned '{type(answer).__name__}'")
    if not isinstance(gradient, Tensor) or answer is gradient:
        return
    if answer.dtype != gradient.dtype or answer.layout != gradient.layout:
        raise RuntimeError(f"hook '{name}' has changed the type of value (was {gradient.type()} got {answer.type()})")
    if answer.shape != gradient.shape:
        raise RuntimeError(f"hook '{name}' has changed the size of value")


def _register_post_accumulate_grad_hook(self, hook):
    """Calls ``hook(tensor)`` whenever something has been added to the gradient of this leaf."""
    if not self.requires_grad:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    if not self.is_leaf:
        raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")

    own = weakref.ref(self)

    def call(tensor):
        # The very object that the hook was given to, as long as there is one.
        known = own()
        answer = hook(tensor if known is None else known)
        if isinstance(answer, Tensor):
            raise RuntimeError("Tensor post accumulate grad hooks should return None.")
        if answer is not None:
            raise TypeError(f"expected Variable, but hook returned '{type(answer).__name__}'")

    return _add(self, call, _rushlight.add_accumulated_hook)


def _retain_grad(self):
    """Keeps ``.grad`` of a tensor that is no leaf."""
    if not self.requires_grad:
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
    if not self.is_leaf:
        _rushlight.retain_grad(self)


Tensor.backward = _backward
Tensor.grad = property(_grad, _set_grad, _delete_grad)
read_only("grad_fn", _rushlight.grad_fn, "The recorded call that made this tensor.")
read_only("is_leaf", _rushlight.is_leaf, "Whether no recorded call made this tensor.")
read_only("retains_grad", _rushlight.keeps_grad, "Whether ``retain_grad`` was called.")
read_only("_base", _rushlight.view_base, "What the tensor is a view of; None for others.")
Tensor._is_view = lambda self: _rushlight.view_base(self) is not None
_output_nr = _rushlight.Builtin("aten::output_nr", "torch.Tensor.output_nr")
read_only("output_nr", _output_nr, "Which result of its call the tensor is.")
Tensor.register_hook = _register_hook
Tensor.register_post_accumulate_grad_hook = _register_post_accumulate_grad_hook
Tensor.retain_grad = _retain_grad
for _method in (_backward, _register_hook, _register_post_accumulate_grad_hook, _retain_grad):
    _method.__name__ = _method.__qualname__ = _method.__name__.removeprefix("_")
