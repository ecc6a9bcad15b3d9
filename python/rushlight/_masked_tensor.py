"""Tensors with masks of their own (``torch.masked.masked_tensor``): what is masked out is not there for what is computed.

Such a tensor wraps its elements and a mask of truth values. Operators on it are answered here: elements are computed one by one, and
reductions leave out what is masked. Gradients belong to the elements; those of what is masked out are zeros, and the gradient of
a plain tensor is a plain tensor.
"""

import rushlight as torch

from . import _rushlight, _wrapper_subclasses

Tensor = _rushlight.Tensor
_ELEMENTS = {
    torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64,
}  # fmt: skip
# Operators on elements of one tensor; those with an underscore behind them are there, too.
_ONE = set(
    "abs absolute acos arccos acosh arccosh asin arcsin asinh arcsinh atan arctan atanh arctanh angle bitwise_not ceil clamp clip "
    "conj_physical cos cosh deg2rad digamma erf erfc erfinv exp exp2 expm1 fix floor frac i0 isnan lgamma log log10 log1p log2 logit "
    "nan_to_num neg negative positive pow float_power rad2deg reciprocal round rsqrt sigmoid sign signbit sgn sin sinc sinh sqrt square tan "
    "tanh trunc isfinite polygamma mvlgamma".split()
)
# Operators on elements of two, whose masks must be the same.
_TWO = set(
    "add atan2 arctan2 bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift div divide floor_divide fmod logaddexp "
    "logaddexp2 mul multiply nextafter remainder sub subtract true_divide eq ne le ge greater greater_equal gt less_equal lt less maximum "
    "minimum fmax fmin not_equal".split()
)
# What elements and masks are arranged by alike.
_ARRANGED = set(
    "_reshape_alias _unsafe_view view reshape t transpose expand select slice index cat stack split split_with_sizes unsqueeze "
    "contiguous as_strided alias".split()
)
_REDUCED = {"sum", "mean", "prod", "amin", "amax", "argmin", "argmax", "all", "std", "var"}


def is_masked_tensor(obj, /):
    """Whether an object is a tensor with a mask of its own."""
    return isinstance(obj, MaskedTensor)


def masked_tensor(data, mask, requires_grad=False):
    """A tensor with a mask: a copy of the elements, without where they come from.

    Raises:
        TypeError: for what is no tensor, for elements of other kinds than numbers and truth values, and for other masks.
        ValueError: for a mask of other sizes.
    """
    return MaskedTensor(data, mask, requires_grad)


def as_masked_tensor(data, mask):
    """A tensor with a mask whose gradients go to ``data``."""
    _check(data, mask)
    return _made(data, mask)


def _check(data, mask):
    if not isinstance(data, Tensor) or isinstance(data, MaskedTensor):
        raise TypeError("data must be a Tensor")
    if not isinstance(mask, Tensor):
        raise TypeError("mask must be a Tensor")
    if data.layout != torch.strided or mask.layout != torch.strided:
        raise NotImplementedError("masked_tensor: sparse tensors with masks are not part of Rushlight")
    if data.dtype not in _ELEMENTS:
        raise TypeError(f"{data.dtype} is not supported in MaskedTensor.")
    if mask.dtype != torch.bool:
        raise TypeError("mask must have dtype bool.")
    if data.shape != mask.shape:
        raise ValueError("data.size() must equal mask.size()")


def _made(data, mask):
    """A tensor of these elements themselves."""
    out = _wrapper_subclasses.make(
        MaskedTensor, data.size(), strides=data.stride(), storage_offset=data.storage_offset(), dtype=data.dtype, device=data.device
    )
    out._masked_data, out._masked_mask = data, mask
    return out


def _data(value):
    if isinstance(value, (list, tuple)):
        return type(value)(_data(one) for one in value)
    return value._masked_data if isinstance(value, MaskedTensor) else value


def _mask(value):
    if isinstance(value, (list, tuple)):
        return type(value)(_mask(one) for one in value)
    return value._masked_mask if isinstance(value, MaskedTensor) else value


def _with_masks(datas, masks):
    if isinstance(datas, (list, tuple)):
        return type(datas)(_made(*pair) for pair in zip(datas, masks))
    return _made(datas, masks)


class MaskedTensor(Tensor):
    """A tensor some of whose elements are masked out."""

    def __new__(cls, data, mask, requires_grad=False):
        """A tensor of a copy of elements."""
        _check(data, mask)
        return _made(data.detach().clone().requires_grad_(bool(requires_grad)), mask.clone())

    def get_data(self):
        """All elements, those that are masked out included."""
        return self._masked_data

    def get_mask(self):
        """Which elements count."""
        return self._masked_mask

    def to_tensor(self, value):
        """A plain tensor that has a number where elements are masked out."""
        return self._masked_data.masked_fill(~self._masked_mask, value)

    is_sparse = property(lambda self: False, doc="False.")
    is_leaf = property(lambda self: self._masked_data.is_leaf, doc="Whether no call made it that gradients know.")
    grad_fn = property(lambda self: self._masked_data.grad_fn, doc="The call that made it.")

    @property
    def requires_grad(self):
        """Whether gradients are recorded."""
        return self._masked_data.requires_grad

    @requires_grad.setter
    def requires_grad(self, value):
        self._masked_data.requires_grad = value

    @property
    def grad(self):
        """The gradient, with the same mask."""
        grad = self._masked_data.grad
        return None if grad is None else _made(grad, self._masked_mask)

    @grad.setter
    def grad(self, value):
        self._masked_data.grad = _data(value)

    def requires_grad_(self, requires_grad=True):
        """Records gradients for it, or no more."""
        self._masked_data.requires_grad_(requires_grad)
        return self

    def retain_grad(self):
        """Keeps its gradient."""
        self._masked_data.retain_grad()

    def backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):
        """Gradients of its elements."""
        self._masked_data.backward(_data(gradient), retain_graph, create_graph, inputs=_data(inputs))

    def is_sparse_coo(self):
        """False."""
        return False

    def is_sparse_csr(self):
        """False."""
        return False

    def __copy__(self):
        return _made(self._masked_data.detach().requires_grad_(self.requires_grad), self._masked_mask)

    def __deepcopy__(self, memo):
        memo[id(self)] = made = _made(self._masked_data.detach().clone().requires_grad_(self.requires_grad), self._masked_mask.clone())
        return made

    def __reduce_ex__(self, protocol):
        return masked_tensor, (self._masked_data.detach(), self._masked_mask, self.requires_grad)

    def __repr__(self, *, tensor_contents=None):
        if self.dim() == 0:
            counts = bool(self._masked_mask)
            return f"MaskedTensor({_element(self._masked_data, self._masked_mask) if counts else '--'}, {counts})"
        rows = _rows(self._masked_data.detach(), self._masked_mask)
        return f"MaskedTensor(\n  {_indented(rows)}\n)"

    __str__ = __repr__

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        name = func._schema.name.partition("::")[2]
        bare = name[:-1] if name.endswith("_") else name
        if bare in _ONE:
            return _on_one(func, args, kwargs)
        if bare in _TWO:
            return _on_two(func, args, kwargs)
        if name in _REDUCED:
            return _reduced(func, name, args, kwargs)
        if name in _ARRANGED:
            return _with_masks(func(*_data(args), **kwargs), func(*_mask(args), **kwargs))
        answer = _ANSWERS.get(name)
        return NotImplemented if answer is None else answer(func, *args, **kwargs)


MaskedTensor.__module__ = "torch.masked.maskedtensor.core"


def _element(data, mask):
    if not bool(mask):
        return "      --"
    return f"{data.item():8.4f}" if data.is_floating_point() else str(data.item())


def _rows(data, mask):
    if data.dim() == 1:
        return f"[{', '.join(_element(*pair) for pair in zip(data, mask))}]"
    return "[\n  " + _indented(",\n".join(_rows(*pair) for pair in zip(data, mask))) + "\n]"


def _indented(text):
    return text.replace("\n", "\n  ")


def _on_one(func, args, kwargs):
    own, *others = args
    if not isinstance(own, MaskedTensor) or any(isinstance(one, Tensor) for one in (*others, *kwargs.values())):
        raise TypeError("MaskedTensor unary ops do not support additional Tensor arguments")
    return _made(func(*_data(args), **kwargs), own._masked_mask)


def _on_two(func, args, kwargs):
    masks = [one._masked_mask for one in args if isinstance(one, MaskedTensor)]
    if any(mask.shape != masks[0].shape or not torch.equal(mask, masks[0]) for mask in masks[1:]):
        raise ValueError("Input masks must match. If you need support for this, please open an issue on Github.")
    made = func(*_data(args), **kwargs)
    return _made(made, masks[0].expand(made.shape))


def _named(func, args, kwargs):
    """The arguments of a call by name, those that are not given included."""
    found = {}
    for i, argument in enumerate(func._schema.arguments):
        found[argument.name] = args[i] if i < len(args) else kwargs.get(argument.name, argument.default_value)
    return found


def _reduced(func, name, args, kwargs):
    given = _named(func, args, kwargs)
    own, dim, keepdim = given["self"], given.get("dim"), bool(given.get("keepdim"))
    dim = None if isinstance(dim, (list, tuple)) and not dim else dim
    data, mask = own._masked_data, own._masked_mask
    if name == "all":
        whole = torch.where(mask, data, torch.ones_like(data))
        made = whole.all() if dim is None else whole.all(dim, keepdim)
    elif name in ("std", "var"):
        correction = given.get("correction")
        made = getattr(torch.masked, name)(data, dim, correction in (None, 1), keepdim=keepdim, mask=mask)
        if correction not in (None, 0, 1):
            raise NotImplementedError(f"{name}: of tensors with masks there is correction 0 or 1")
    else:
        chosen = {"dtype": given["dtype"]} if given.get("dtype") is not None else {}
        made = getattr(torch.masked, name)(data, dim, keepdim=keepdim, mask=mask, **chosen)
    left = mask.any() if dim is None else mask
    for one in () if dim is None else sorted({d % max(mask.dim(), 1) for d in ((dim,) if isinstance(dim, int) else dim)}, reverse=True):
        left = left.any(one, keepdim)
    return _made(made, left.reshape(made.shape) if dim is None else left)


def _where(func, condition, own, other):
    masks = [
        one._masked_mask if isinstance(one, MaskedTensor) else torch.ones(one.shape, dtype=torch.bool) if isinstance(one, Tensor) else one
        for one in (own, other)
    ]
    return _made(func(_data(condition), _data(own), _data(other)), func(_data(condition), *masks))


def _softmax(func, own, dim, half_to_float):
    return _made(torch.masked.softmax(own._masked_data, dim, mask=own._masked_mask), own._masked_mask)


def _kept(func, own, *args, **kwargs):
    """What changes elements, or copies them, and no mask."""
    return _made(func(own._masked_data, *args, **kwargs), own._masked_mask)


def _cloned(func, own, **kwargs):
    return _made(func(own._masked_data, **kwargs), own._masked_mask.clone())


_ANSWERS = {
    "where": _where,
    "_softmax": _softmax,
    "_to_copy": _kept,
    "detach": _kept,
    "ones_like": _kept,
    "clone": _cloned,
    "_local_scalar_dense": lambda func, own: func(own._masked_data),
    "is_same_size": lambda func, own, other: func(_data(own), _data(other)),
}
