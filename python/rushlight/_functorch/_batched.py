"""Tensors of which a function under ``vmap`` sees one sample: a tensor of all samples, and the dimension that counts them."""

import operator

from .. import _rushlight
from .._names import Size

Tensor = _rushlight.Tensor

# What the extension holds of a batched tensor: code that does not know it fails, because there are no elements.
_nothing = _rushlight.to_meta(Tensor([0.0]).select(0, 0))

_NO_ITEM = (
    "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling .item() on a Tensor, please try to "
    "rewrite what you're doing with other operations. If error is occurring somewhere inside PyTorch internals, please file a bug report."
)
_NO_BRANCH = (
    "vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow. We don't support that yet, please "
    "file an issue at https://github.com/pytorch/pytorch/issues ."
)
_NO_MEMORY = "Cannot access data pointer of Tensor that doesn't have storage"
_NO_REQUIRES_GRAD = (
    "You are attempting to call Tensor.requires_grad_() (or perhaps using torch.autograd.functional.* APIs) inside of a function "
    "being transformed by a functorch transform. This is unsupported, please attempt to use the functorch transforms (e.g. grad, "
    "vjp, jacrev, jacfwd, hessian) or call requires_grad_() outside of a function being transformed instead."
)
NO_BACKWARD = (
    "backward() called inside a functorch transform. This is not supported, please use functorch.grad or functorch.vjp instead or "
    "call backward() outside of functorch transforms."
)


def _refuse(message):
    def method(self, *args, **kwargs):
        raise RuntimeError(message)

    return method


class Batched(Tensor):
    """A tensor that stands for one sample of ``value``; ``bdim`` counts the samples, ``level`` is the ``vmap`` that runs."""

    def __new__(cls, value, bdim, level):
        self = Tensor.__new__(cls, _nothing)
        self.value = value
        self.bdim = bdim
        self.level = level
        return self

    @property
    def shape(self):
        """The sizes of one sample."""
        sizes = list(self.value.shape)
        del sizes[self.bdim]
        return Size(sizes)

    def size(self, dim=None):
        """The sizes of one sample, or one of them."""
        return self.shape if dim is None else self.shape[dim]

    def stride(self, dim=None):
        """The strides of one sample, or one of them."""
        strides = list(self.value.stride())
        del strides[self.bdim]
        return tuple(strides) if dim is None else strides[dim]

    def dim(self):
        """How many dimensions a sample has."""
        return self.value.dim() - 1

    ndimension = dim

    @property
    def ndim(self):
        """How many dimensions a sample has."""
        return self.value.dim() - 1

    def numel(self):
        """How many elements a sample has."""
        return self.shape.numel()

    nelement = numel

    def __len__(self):
        shape = self.shape
        if not shape:
            raise TypeError("len() of a 0-d tensor")
        return shape[0]

    def __iter__(self):
        if self.dim() == 0:
            raise TypeError("iteration over a 0-d tensor")
        return iter(self.unbind(0))

    @property
    def nbytes(self):
        """How many bytes a sample takes."""
        return self.numel() * self.value.itemsize

    @property
    def data(self):
        """Refused, as in the reference."""
        raise RuntimeError("accessing `data` under vmap transform is not allowed")

    @property
    def grad(self):
        """None: gradients add up outside."""
        return None

    def __repr__(self, *, tensor_contents=None):
        from ._shown import shown

        return shown(self)

    __str__ = __repr__

    def __format__(self, spec):
        return repr(self) if not spec else self.item().__format__(spec)

    def __hash__(self):
        return object.__hash__(self)

    def __contains__(self, element):
        return bool((self == element).any())

    def __deepcopy__(self, memo):
        return self.clone()

    def __index__(self):
        if self.numel() != 1 or self.dtype.is_floating_point or self.dtype.is_complex:
            raise TypeError("only integer tensors of a single element can be converted to an index")
        raise RuntimeError(_NO_ITEM)

    item = __float__ = __int__ = __complex__ = _refuse(_NO_ITEM)
    __bool__ = is_nonzero = _refuse(_NO_BRANCH)
    tolist = numpy = data_ptr = storage = untyped_storage = __array__ = __dlpack__ = _refuse(_NO_MEMORY)
    requires_grad_ = _refuse(_NO_REQUIRES_GRAD)
    backward = _refuse(NO_BACKWARD)


def _of_value(name, what):
    def read(self):
        return getattr(self.value, name)

    return property(read, doc=what)


for _name in (
    "dtype", "device", "layout", "itemsize", "is_cuda", "is_cpu", "is_meta", "is_sparse", "is_quantized", "is_mps", "is_xpu",
    "grad_fn", "is_leaf", "names", "_version", "is_nested", "is_mkldnn",
):
    setattr(Batched, _name, _of_value(_name, f"``{_name}`` of the tensor of all samples."))
Batched.requires_grad = property(
    lambda self: self.value.requires_grad, _refuse(_NO_REQUIRES_GRAD), doc="Whether gradients of the samples are recorded."
)
Batched.element_size = lambda self: self.value.element_size()

# What programs that ask for the class see, as in the reference.
Batched.__name__ = Batched.__qualname__ = "Tensor"
Batched.__module__ = "torch"


def front(batched):
    """All samples of a batched tensor, the samples first."""
    return batched.value if batched.bdim == 0 else batched.value.movedim(batched.bdim, 0)


def batched_at(obj, level):
    """Whether an object is batched at a level."""
    return type(obj) is Batched and obj.level is level


def sample(batched, index):
    """One sample."""
    return batched.value.select(batched.bdim, index)


def wrap(value, level, bdim=0):
    """A result for all samples as its samples: tensors alone, and inside tuples and lists."""
    if isinstance(value, Tensor):
        return Batched(value, bdim, level)
    if isinstance(value, (tuple, list)):
        parts = [wrap(part, level, bdim) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    return value


def highest(objects, found=None):
    """The innermost level of the batched tensors among objects and in lists of them; None where there are none."""
    for obj in objects:
        if type(obj) is Batched:
            if found is None or obj.level.number > found.number:
                found = obj.level
        elif type(obj) in (tuple, list):
            found = highest(obj, found)
    return found


def canonical(tensor, levels):
    """A plain tensor of all samples of all levels, which come first in their order; one that lacks a level is expanded."""
    if not levels:
        if type(tensor) is Batched:
            raise RuntimeError("a tensor of a vmap that runs inside left it")
        return tensor
    level = levels[-1]
    if batched_at(tensor, level):
        value = front(tensor)
    else:
        value = tensor.unsqueeze(0).expand(level.batch_size, *tensor.shape)
    return canonical(value, levels[:-1])


def from_canonical(plain, levels):
    """What :func:`canonical` undoes."""
    for level in levels:
        plain = Batched(plain, 0, level)
    return plain


def plainest(tensor):
    """The tensor of all samples at the bottom of a batched one."""
    while type(tensor) is Batched:
        tensor = tensor.value
    return tensor


OPERATORS = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "truediv": operator.truediv, "floordiv": operator.floordiv,
    "mod": operator.mod, "pow": operator.pow, "matmul": operator.matmul, "and": operator.and_, "or": operator.or_,
    "xor": operator.xor, "lshift": operator.lshift, "rshift": operator.rshift,
}
COMPARISONS = {"lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge, "eq": operator.eq, "ne": operator.ne}
IN_PLACE = {
    "iadd": operator.iadd, "isub": operator.isub, "imul": operator.imul, "itruediv": operator.itruediv,
    "ifloordiv": operator.ifloordiv, "imod": operator.imod, "ipow": operator.ipow, "iand": operator.iand, "ior": operator.ior,
    "ixor": operator.ixor, "ilshift": operator.ilshift, "irshift": operator.irshift,
}
