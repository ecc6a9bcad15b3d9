"""The classes of nested tensors, and what functions do with them."""

import itertools
import weakref

from ... import _rushlight
from ..._names import Size
from ..._overriding import class_defined
from ..._pickling import copy_of_parts
from .. import _warn_of_prototype

Tensor = _rushlight.Tensor
_numbers = itertools.count(1)
# The ragged size that goes with offsets.
_ragged = {}


def _torch():
    import rushlight

    return rushlight


class _RaggedSize(int):
    """The size of the dimension in which tensors differ: equal to itself alone."""

    def __new__(cls):
        self = super().__new__(cls, 1 << 40)
        self.name = f"j{next(_numbers)}"
        return self

    def __repr__(self):
        return self.name

    __str__ = __repr__

    def __eq__(self, other):
        return self is other

    def __ne__(self, other):
        return self is not other

    def __hash__(self):
        return id(self)


def _ragged_size(offsets):
    known = _ragged.get(id(offsets))
    if known is None or known[0]() is not offsets:
        known = _ragged[id(offsets)] = weakref.ref(offsets, lambda _, key=id(offsets): _ragged.pop(key, None)), _RaggedSize()
    return known[1]


# What works number by number, under the names of functions and methods.
_POINTWISE = set(
    "abs absolute neg negative positive exp exp2 expm1 log log2 log10 log1p sqrt rsqrt square sin cos tan asin acos atan sinh cosh tanh "
    "sigmoid relu relu_ relu6 gelu silu elu selu celu leaky_relu mish softplus softsign hardtanh hardswish hardsigmoid logsigmoid "
    "tanhshrink softshrink hardshrink threshold erf erfc reciprocal floor ceil round trunc frac sign sgn clamp clamp_min clamp_max clip "
    "isnan isinf isfinite logical_not logical_and logical_or logical_xor bitwise_not bitwise_and bitwise_or nan_to_num "
    "add sub subtract mul multiply div divide true_divide floor_divide remainder fmod pow rsub maximum minimum fmax fmin atan2 "
    "eq ne lt le gt ge where lerp addcmul addcdiv masked_fill masked_fill_ dropout alpha_dropout "
    "add_ sub_ mul_ div_ fill_ zero_ copy_ neg_ exp_ clamp_ clone detach contiguous to float double half bfloat16 int long bool cpu "
    "zeros_like ones_like empty_like full_like rand_like randn_like type_as "
    "__add__ __radd__ __iadd__ __sub__ __rsub__ __isub__ __mul__ __rmul__ __imul__ __truediv__ __rtruediv__ __itruediv__ __floordiv__ "
    "__pow__ __rpow__ __mod__ __neg__ __abs__ __invert__ __and__ __or__ __xor__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__ "
    "rdiv rpow embedding conj real requires_grad_".split()
)
# What works along the last dimension alone, or is a product with what is no nested tensor.
_BY_ROWS = {"linear", "layer_norm", "rms_norm", "normalize"}
_ALONG = {"softmax", "log_softmax", "softmin"}
_SAME = {"__matmul__": "matmul", "mm": "matmul", "concat": "cat"}
_REDUCED = {"sum", "mean", "amax", "amin", "max", "min", "any", "all", "prod", "logsumexp", "argmax", "argmin"}


def _answer(cls, func, types, args=(), kwargs=None):
    """What a function gives of arguments with nested tensors among them."""
    kwargs = kwargs or {}
    first = next(value for value in _flat((args, kwargs)) if isinstance(value, _Nested))
    name = getattr(func, "__name__", str(func))
    if name in _POINTWISE:
        return first._pointwise(func, name, args, kwargs)
    answer = getattr(first, "_call_" + _SAME.get(name, name), None)
    if answer is not None:
        return answer(func, *args, **kwargs)
    if name in _BY_ROWS:
        return first._by_rows(func, name, args, kwargs)
    if name in _ALONG:
        return first._along(func, *args, **kwargs)
    if name in _REDUCED:
        return first._reduced(func, *args, **kwargs)
    raise NotImplementedError(f"{name}: not there for nested tensors with layout {first.layout}")


def _check_all_nested(tensors):
    if not all(isinstance(one, _Nested) for one in tensors):
        raise RuntimeError("Expected each tensor in given list to be nested.")


class _Nested(Tensor):
    """What both layouts have in common. ``parts`` are the tensors, ``held`` the tensors that gradients know."""

    is_nested = property(lambda self: True, doc="True.")
    dtype = property(lambda self: self.held[0].dtype, doc="The dtype.")
    device = property(lambda self: self.held[0].device, doc="Where the tensors are.")
    is_leaf = property(lambda self: all(part.is_leaf for part in self.held), doc="Whether no call made it that gradients know.")
    grad_fn = property(lambda self: self.held[0].grad_fn, doc="The call that made it.")
    shape = property(lambda self: self.size(), doc="The sizes.")

    @property
    def requires_grad(self):
        """Whether gradients are recorded."""
        return any(part.requires_grad for part in self.held)

    @requires_grad.setter
    def requires_grad(self, value):
        self.requires_grad_(value)

    @property
    def grad(self):
        """The gradient, a nested tensor."""
        grads = [part.grad for part in self.held]
        return None if grads[0] is None else self._with(grads)

    @grad.setter
    def grad(self, value):
        for i, part in enumerate(self.held):
            part.grad = None if value is None else value.held[i]

    def requires_grad_(self, requires_grad=True):
        """Records gradients for it, or no more."""
        for part in self.held:
            part.requires_grad_(requires_grad)
        return self

    def retain_grad(self):
        """Keeps its gradient."""
        for part in self.held:
            part.retain_grad()

    def backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):
        """Gradients of it, given its own."""
        if gradient is None:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        _torch().autograd.backward(self.held, gradient.held, retain_graph, create_graph, inputs=inputs)

    def dim(self):
        """How many dimensions there are, that of the tensors included."""
        return self.parts()[0].dim() + 1 if self.parts() else 1

    ndim = property(dim, doc="How many dimensions there are.")

    def numel(self):
        """How many numbers there are."""
        return sum(part.numel() for part in self.parts())

    def __iter__(self):
        return iter(self.unbind())

    def unbind(self, dim=0):
        """The tensors."""
        if dim != 0:
            raise RuntimeError(self._UNBIND.format(dim))
        return tuple(self.parts())

    def __getitem__(self, index):
        if isinstance(index, int):
            return self._part(index)
        if isinstance(index, tuple) and index and isinstance(index[0], int):
            return self._part(index[0])[index[1:]]
        raise NotImplementedError(f"index {index!r}: nested tensors are taken apart by numbers")

    def select(self, dim, index):
        """One of the tensors."""
        if dim != 0:
            raise NotImplementedError("select: nested tensors are taken apart along dimension 0")
        return self._part(index)

    def to_padded_tensor(self, padding, output_size=None, out=None):
        """A plain tensor with room for the largest, filled up with a number."""
        parts = self.parts()
        largest = [max(part.size(d) for part in parts) for d in range(parts[0].dim())]
        if output_size is not None:
            wanted = list(output_size)[1:]
            if any(a < b for a, b in zip(wanted, largest)):
                if self.layout != _torch().jagged:
                    raise RuntimeError(
                        "Value in output_size is less than NestedTensor padded size. Truncation is not supported."
                    )
                parts = [part[tuple(slice(0, size) for size in wanted)] for part in parts]
            largest = wanted
        rows = []
        for part in parts:
            pads = [n for d in reversed(range(part.dim())) for n in (0, largest[d] - part.size(d))]
            rows.append(_torch().nn.functional.pad(part, pads, value=padding) if any(pads) else part)
        return _torch().stack(rows)

    def item(self):
        """The one number."""
        if self.numel() != 1:
            raise RuntimeError(f"a Tensor with {self.numel()} elements cannot be converted to Scalar")
        return self.parts()[0].item()

    def __bool__(self):
        if self.numel() != 1:
            raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
        return bool(self.item())

    def is_contiguous(self, memory_format=None):
        """Whether the numbers lie one behind another."""
        return True

    __copy__ = copy_of_parts

    def __reduce_ex__(self, protocol):
        return rebuild, (self.layout, [part.detach() for part in self.parts()], self.requires_grad)

    def _each(self, values, i):
        return _mapped(values, lambda value: value.held[i] if isinstance(value, _Nested) else value)

    def _written(self, name, made, args):
        return args[0] if name == "requires_grad_" or name.endswith("_") and not name.startswith("__") else made


class NestedTensor(_Nested):
    """A nested tensor whose tensors lie one behind another in one that holds the numbers."""

    __module__ = "torch.nested._internal.nested_tensor"
    __torch_function__ = classmethod(_answer)
    _UNBIND = "unbind(): only supported for NestedTensor on dim=0"

    def __new__(cls, values, offsets, lengths=None, ragged=1):
        self = Tensor.__new__(cls, _torch().empty((0,), dtype=values.dtype, device="meta"))
        self.held, self._offsets, self._lengths, self._ragged_idx = [values], offsets, lengths, ragged
        self._size_of_ragged = _ragged_size(offsets if lengths is None else lengths)
        return self

    layout = property(lambda self: _torch().jagged, doc="``torch.jagged``.")

    def _with(self, held, ragged=None):
        made = NestedTensor(held[0], self._offsets, self._lengths, self._ragged_idx if ragged is None else ragged)
        made._size_of_ragged = self._size_of_ragged
        return made

    def values(self):
        """All numbers."""
        return self.held[0]

    def offsets(self):
        """Where each tensor begins, and the end."""
        return self._offsets

    def lengths(self):
        """How long each is, where they do not lie close."""
        return self._lengths

    def size(self, dim=None):
        """The sizes, with a size of its own for the dimension in which tensors differ."""
        sizes = list(self.held[0].shape)
        sizes[self._ragged_idx - 1] = self._size_of_ragged
        sizes = (self._offsets.numel() - 1, *sizes)
        return tuple.__new__(Size, sizes) if dim is None else sizes[dim]

    def dim(self):
        """How many dimensions there are."""
        return self.held[0].dim() + 1

    ndim = property(dim, doc="How many dimensions there are.")

    def numel(self):
        """How many numbers there are."""
        return self.held[0].numel()

    def __len__(self):
        return self._offsets.numel() - 1

    def is_contiguous(self, memory_format=None):
        """Whether the numbers lie one behind another."""
        return self._ragged_idx == 1 and self._lengths is None and self.held[0].is_contiguous()

    def parts(self):
        """The tensors."""
        ends = self._offsets.tolist()
        lengths = [b - a for a, b in zip(ends, ends[1:])] if self._lengths is None else self._lengths.tolist()
        return [self.held[0].narrow(self._ragged_idx - 1, start, length) for start, length in zip(ends, lengths)]

    def _part(self, index):
        parts = self.parts()
        if not -len(parts) <= index < len(parts):
            raise IndexError("tuple index out of range")
        return parts[index]

    def __repr__(self, *, tensor_contents=None):
        end = f", grad_fn=<{type(self.grad_fn).__name__}>" if self.grad_fn else ", requires_grad=True" if self.requires_grad else ""
        sizes = ", ".join(map(str, self.size()))
        return f"NestedTensor(size=({sizes}), offsets={self._offsets}{end}, contiguous={self.is_contiguous()})"

    def _ids(self):
        lengths = self._offsets.diff() if self._lengths is None else self._lengths
        return _torch().repeat_interleave(_torch().arange(len(self)), lengths)

    def _inner(self, name, value):
        """What stands for an argument beside the numbers."""
        if isinstance(value, _Nested):
            if value._size_of_ragged is not self._size_of_ragged or value._ragged_idx != self._ragged_idx:
                shapes = " and ".join("(" + ", ".join(map(str, one.size())) + ")" for one in (self, value))
                raise RuntimeError(f"cannot call binary pointwise function {name.strip('_')}.Tensor with inputs of shapes {shapes}")
            return value.held[0]
        if isinstance(value, Tensor) and value.dim() == self.dim() and value.size(self._ragged_idx) == 1:
            rows = value.squeeze(self._ragged_idx)
            return rows if rows.size(0) == 1 else rows[self._ids()]
        return value

    def _pointwise(self, func, name, args, kwargs):
        if name == "embedding":
            return self._with([func(self.held[0], *args[1:], **kwargs)])
        args, kwargs = _mapped((args, kwargs), lambda value: self._inner(name, value))
        made = func(*args, **kwargs)
        if name.endswith("_") and not name.startswith("__"):
            return self
        return self._with([made])

    def _by_rows(self, func, name, args, kwargs):
        return self._with([func(*self._each(args, 0), **self._each(kwargs, 0))])

    def _call_matmul(self, func, one, other):
        if isinstance(other, _Nested) or not isinstance(one, _Nested) or self._ragged_idx != 1:
            shapes = " and ".join(str(tuple(v.size())) if isinstance(v, _Nested) else str(v.shape) for v in (one, other))
            raise RuntimeError(f"matmul(): not supported between inputs of shapes {shapes}")
        return self._with([self.held[0] @ other])

    def _inner_dim(self, dim):
        dim = dim + self.dim() if dim < 0 else dim
        return dim - 1

    def _along(self, func, input, dim=None, *rest, **kwargs):
        inner = self._inner_dim(-1 if dim is None else dim)
        if inner < 0:
            raise RuntimeError(f"{func.__name__}(): not supported when reducing across the batch dimension for NestedTensor")
        if inner != self._ragged_idx - 1:
            return self._with([func(self.held[0], inner, **kwargs)])
        return self._with([_torch().cat([func(part, inner, **kwargs) for part in self.parts()], inner)])

    def _reduced(self, func, input, dim=None, keepdim=False, **kwargs):
        if dim is None:
            return func(self.held[0], **kwargs)
        dims = dim if isinstance(dim, (tuple, list)) else [dim]
        inner = [self._inner_dim(d) for d in dims]
        if self._ragged_idx - 1 in inner:
            return _torch().stack([func(part, inner if len(inner) > 1 else inner[0], keepdim, **kwargs) for part in self.parts()])
        made = func(self.held[0], inner if len(inner) > 1 else inner[0], keepdim, **kwargs)
        return self._with([made]) if isinstance(made, Tensor) else type(made)(self._with([one]) for one in made)

    def _call_transpose(self, func, input, dim0, dim1):
        a, b = sorted((self._inner_dim(dim0), self._inner_dim(dim1)))
        ragged = self._ragged_idx - 1
        moved = b if ragged == a else a if ragged == b else ragged
        return self._with([self.held[0].transpose(a, b)], moved + 1)

    def _call_unsqueeze(self, func, input, dim):
        inner = (dim + self.dim() + 1 if dim < 0 else dim) - 1
        return self._with([self.held[0].unsqueeze(inner)], self._ragged_idx + (inner < self._ragged_idx))

    def _call_cat(self, func, tensors, dim=0):
        _check_all_nested(tensors)
        dim = dim + self.dim() if dim < 0 else dim
        if dim in (0, self._ragged_idx):
            raise RuntimeError(f"cat(): not supported for NestedTensor on {'ragged dim' if dim else 'dim=0'}")
        return self._with([_torch().cat([one.held[0] for one in tensors], dim - 1)])

    def __deepcopy__(self, memo):
        if not self.is_leaf:
            raise RuntimeError("Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.")
        lengths = None if self._lengths is None else self._lengths.clone()
        made = NestedTensor(self.held[0].detach().clone(), self._offsets.clone(), lengths, self._ragged_idx)
        memo[id(self)] = made = made.requires_grad_(True) if self.requires_grad else made
        return made

    def _call_chunk(self, func, input, chunks, dim=0):
        return tuple(self._with([one]) for one in self.held[0].chunk(chunks, self._inner_dim(dim)))

    def _call_view(self, func, input, *size):
        size = list(size[0]) if len(size) == 1 and isinstance(size[0], (tuple, list)) else list(size)
        if len(size) < 2 or size[0] != len(self) or not (size[1] is self._size_of_ragged or size[1] == -1):
            raise RuntimeError(f"view(): cannot view shape {tuple(self.size())} as {tuple(size)}")
        return self._with([self.held[0].reshape([self.held[0].size(0), *size[2:]])])

    _call_reshape = _call_view

    def _call_scaled_dot_product_attention(self, func, query, key, value, *args, **kwargs):
        along = query._ragged_idx - 1
        made = [func(*each, *args, **kwargs) for each in zip(query.parts(), key.parts(), value.parts())]
        return query._with([_torch().cat(made, along)])


class _Strided(_Nested):
    """A nested tensor whose tensors each have sizes of their own."""

    __module__ = "torch"
    __torch_function__ = classmethod(_answer)
    _UNBIND = "NestedTensor can only be unbound along dimension 0 got dimension {} instead."

    def __new__(cls, parts, dtype=None):
        _warn_of_prototype()
        dtype = parts[0].dtype if parts else _torch().get_default_dtype()
        self = Tensor.__new__(cls, _torch().empty((0,), dtype=dtype, device="meta"))
        self.held, self._empty = parts, _torch().empty(0, dtype=dtype)
        return self

    layout = property(lambda self: _torch().strided, doc="``torch.strided``.")
    dtype = property(lambda self: (self.held or [self._empty])[0].dtype, doc="The dtype.")
    device = property(lambda self: (self.held or [self._empty])[0].device, doc="Where the tensors are.")
    grad_fn = property(lambda self: self.held[0].grad_fn if self.held else None, doc="The call that made it.")

    def _with(self, held):
        return _Strided(list(held))

    def parts(self):
        """The tensors."""
        return self.held

    def values(self):
        """All numbers."""
        return _torch().cat([part.reshape(-1) for part in self.held])

    def size(self, dim=None):
        """The size of a dimension in which the tensors agree."""
        if dim is None:
            raise RuntimeError("Internal error: NestedTensorImpl doesn't support sizes. Please file an issue.")
        dim = dim + self.dim() if dim < 0 else dim
        if dim == 0:
            return len(self.held)
        sizes = {part.size(dim - 1) for part in self.held}
        if len(sizes) != 1:
            raise RuntimeError(f"Given dimension {dim} is irregular and does not have a size.")
        return sizes.pop()

    def stride(self, dim=None):
        """Refused: each tensor has its own."""
        raise RuntimeError("Internal error: NestedTensorImpl doesn't support strides. Please file an issue.")

    def __len__(self):
        return self.size()

    def _part(self, index):
        if not -len(self.held) <= index < len(self.held):
            raise IndexError(f"index {index} is out of bounds for dimension 0 with size {len(self.held)}")
        return self.held[index]

    def __repr__(self, *, tensor_contents=None):
        def shown(part):
            return "\n".join("  " + line for line in repr(part.detach()).split("\n"))

        end = f", grad_fn=<{type(self.grad_fn).__name__}>" if self.grad_fn else ", requires_grad=True" if self.requires_grad else ""
        inner = ",\n".join(map(shown, self.held))
        return f"nested_tensor([\n{inner}\n]{end})"

    def _pointwise(self, func, name, args, kwargs):
        if name != "embedding":
            others = [v for v in _flat((args, kwargs)) if isinstance(v, Tensor) and not isinstance(v, _Nested) and v.dim()]
            if others:
                raise RuntimeError("Expected both self and other to be nested, but got a nested self and non-nested other")
        made = [func(*self._each(args, i), **self._each(kwargs, i)) for i in range(len(self.held))]
        return self if name.endswith("_") and not name.startswith("__") else self._with(made)

    def _by_rows(self, func, name, args, kwargs):
        if name == "layer_norm" and sum(isinstance(value, Tensor) for value in _flat((args, kwargs))) < 3:
            raise ValueError("NestedTensor layer_norm requires weight and bias")
        return self._with([func(*self._each(args, i), **self._each(kwargs, i)) for i in range(len(self.held))])

    def _call_matmul(self, func, one, other):
        for kind, value in (("self", one), ("other", other)):
            if not isinstance(value, _Nested):
                nested = "non-nested self and nested other" if kind == "self" else "nested self and non-nested other"
                raise RuntimeError(f"Expected both to be nested, but got a {nested}")
        return self._with([a @ b for a, b in zip(one.held, other.held)])

    _call_bmm = _call_matmul

    def _along(self, func, input, dim=None, *rest, **kwargs):
        dim = (self.dim() - 1 if dim is None else dim + self.dim() if dim < 0 else dim) - 1
        if dim < 0:
            raise RuntimeError("Cannot apply softmax across nested dimension 0")
        return self._with([func(part, dim, **kwargs) for part in self.held])

    def _reduced(self, func, input, dim=None, keepdim=False, **kwargs):
        if dim is None or func.__name__ != "sum":
            raise NotImplementedError(f"{func.__name__}: not there for nested tensors with layout {self.layout}")
        (dim,) = dim if isinstance(dim, (tuple, list)) else (dim,)
        dim = dim + self.dim() if dim < 0 else dim
        if dim != self.dim() - 1:
            raise RuntimeError(f"NestedTensor can only be reduced across the last dimension for now got dimension {dim} instead.")
        if not keepdim:
            raise RuntimeError("NestedTensor always requires keepdim=True for now.")
        return self._with([part.sum(-1, keepdim=True, **kwargs) for part in self.held])

    def _call_transpose(self, func, input, dim0, dim1):
        a, b = (dim + self.dim() if dim < 0 else dim for dim in (dim0, dim1))
        if 0 in (a, b):
            raise RuntimeError("Nested tensor dimension 0 cannot be transposed")
        return self._with([part.transpose(a - 1, b - 1) for part in self.held])

    def _call_chunk(self, func, input, chunks, dim=0):
        dim = dim + self.dim() if dim < 0 else dim
        if dim != self.dim() - 1:
            raise RuntimeError("Chunk for nested tensors is currently only supported for the last dimension.")
        return tuple(self._with(parts) for parts in zip(*(part.chunk(chunks, dim - 1) for part in self.held)))

    def _call_view(self, func, input, *size):
        size = list(size[0]) if len(size) == 1 and isinstance(size[0], (tuple, list)) else list(size)
        if not size or size[0] != len(self.held):
            raise RuntimeError("view: For now nested view cannot change or infer the implicit batch dimension")

        def of(part):
            return [part.size(i) if each == -1 and i < part.dim() else each for i, each in enumerate(size[1:])]

        return self._with([part.view(of(part)) for part in self.held])

    def _call_unsqueeze(self, func, input, dim):
        dim = dim + self.dim() + 1 if dim < 0 else dim
        return self._with([part.unsqueeze(dim - 1) for part in self.held])

    def _call_cat(self, func, tensors, dim=0):
        _check_all_nested(tensors)
        dim = dim + self.dim() if dim < 0 else dim
        if dim == 0:
            return self._with([part for one in tensors for part in one.held])
        return self._with([_torch().cat(list(parts), dim - 1) for parts in zip(*(one.held for one in tensors))])


_Strided.__name__ = _Strided.__qualname__ = "Tensor"
for _kind in (NestedTensor, _Strided):
    class_defined(_kind)


def _flat(values):
    for value in values.values() if isinstance(values, dict) else values:
        if isinstance(value, (tuple, list, dict)):
            yield from _flat(value)
        else:
            yield value


def _mapped(values, change):
    if isinstance(values, dict):
        return {key: _mapped(value, change) for key, value in values.items()}
    if type(values) in (tuple, list):
        return type(values)(_mapped(value, change) for value in values)
    return change(values)


def make(tensors, dtype, layout, device, requires_grad, copies):
    """A nested tensor of tensors."""
    torch = _torch()
    jagged = layout == torch.jagged
    if not isinstance(tensors, (list, tuple, Tensor)):
        if jagged:
            iter(tensors)
        raise TypeError("Only lists (List[Tensor] and List[List...[Scalar]]) are accepted in nested_tensor")
    parts = list(tensors.unbind()) if isinstance(tensors, Tensor) else list(tensors)
    parts = [part if isinstance(part, Tensor) else torch.tensor(part) for part in parts]
    parts = [part.to(device=device, dtype=dtype) if dtype is not None or device is not None else part for part in parts]
    if copies:
        parts = [part.detach().clone() for part in parts]
    if not parts:
        if jagged:
            raise RuntimeError("Cannot construct a nested tensor from an empty tensor list")
        return _Strided([])
    for i, part in enumerate(parts):
        if part.dim() != parts[0].dim():
            raise RuntimeError(
                "When constructing a nested tensor, all tensors in list must have the same dim" if jagged else
                "All Tensors given to nested_tensor must have the same dimension. Found dimension "
                f"{part.dim()} for Tensor at index {i} and dimension {parts[0].dim()} for Tensor at index 0."
            )  # fmt: skip
    if not jagged:
        return _Strided(parts).requires_grad_(requires_grad) if requires_grad else _Strided(parts)
    if any(part.shape[1:] != parts[0].shape[1:] for part in parts):
        raise RuntimeError(
            "Cannot represent given tensor list as a nested tensor with the jagged layout. Note that the jagged layout only allows "
            "for a single ragged dimension. For example: (B, *, D_0, D_1, ..., D_N), with ragged * dim."
        )
    lengths = torch.tensor([0] + [part.size(0) for part in parts], device=parts[0].device)
    values = torch.cat(parts)
    values = values.detach() if copies else values
    made = NestedTensor(values, lengths.cumsum(0))
    return made.requires_grad_(True) if requires_grad else made


def rebuild(layout, parts, requires_grad):
    """The nested tensor that a pickle has as its tensors."""
    return make(parts, None, layout, None, requires_grad, copies=True)


def from_jagged(values, offsets, lengths, jagged_dim):
    """A jagged nested tensor in the memory of its values."""
    torch = _torch()
    if offsets is None:
        if lengths is None:
            raise RuntimeError("nested_tensor_from_jagged(): At least one of offsets or lengths is required.")
        offsets, lengths = torch.nn.functional.pad(lengths.cumsum(0), (1, 0)), None
    return NestedTensor(values, offsets, lengths, 1 if jagged_dim is None else jagged_dim)


def narrow(tensor, dim, start, length, layout):
    """Parts of the rows of a tensor."""
    torch = _torch()
    if layout != torch.jagged:
        rows = [row.narrow(dim - 1, int(a), int(n)) for row, a, n in zip(tensor, torch.as_tensor(start).expand(len(tensor)),
                                                                         torch.as_tensor(length).expand(len(tensor)))]  # fmt: skip
        return _Strided(rows)
    starts = torch.as_tensor(start).expand(len(tensor))
    lengths = torch.as_tensor(length).expand(len(tensor)).clone()
    offsets = torch.arange(len(tensor) + 1) * tensor.size(dim)
    offsets = torch.cat([offsets[:-1] + starts, offsets[-1:]])
    return NestedTensor(tensor.flatten(0, 1), offsets, lengths)


def masked_select(tensor, mask):
    """What a mask selects of every row."""
    torch = _torch()
    mask = mask.expand(tensor.shape) if mask.shape != tensor.shape else mask
    lengths = mask.flatten(1).sum(1)
    return NestedTensor(tensor[mask], torch.nn.functional.pad(lengths.cumsum(0), (1, 0)))
