"""Rules for functions of single elements, for sums and products element by element."""

import rushlight as torch

from ._core import _RULES, _batched, _become, _refuse, _rule, as_coo, as_layout, coalesce, flat_places, is_sparse, to_dense
from ._makers import join_batch, of_dense, split_batch
from ._tensor import COO

Tensor = torch.Tensor


# Functions that keep zeros: of the values of a tensor whose places are there once.
_KEEPING = (
    "abs", "absolute", "asin", "asinh", "arcsin", "arcsinh", "atan", "arctan", "atanh", "arctanh", "ceil", "conj_physical", "deg2rad", "erf", "erfinv",
    "expm1", "fix", "floor", "frac", "isinf", "isnan", "isneginf", "isposinf", "log1p", "nan_to_num", "rad2deg", "relu", "round", "sgn", "sign",
    "signbit", "sin", "sinh", "sqrt", "square", "tan", "tanh", "trunc", "pow", "float_power", "leaky_relu",
)
# Of these compressed layouts have fewer, and some have no form that writes in place.
_COO_ONLY = ("pow", "square", "float_power", "nan_to_num")
_NOT_IN_PLACE = ("pow", "square")
# Of these, sums of values are values of sums.
_LINEAR = ("neg", "negative", "real", "imag", "conj", "_conj", "mH")


def _dense(name):
    return getattr(torch, name, None) or getattr(Tensor, name)


def _keeping(name, is_linear):
    def function(self, *args, **kwargs):
        if not is_sparse(self) or any(is_sparse(arg) for arg in args):
            _refuse(name, next(arg for arg in (self, *args) if is_sparse(arg)))
        if self.layout != COO and name in _COO_ONLY:
            _refuse(name, self, (self, *args))
        if name == "pow" and not args[0]:
            raise RuntimeError("pow: cannot raise to zeroth power on sparse tensor; it would make the result tensor dense")
        plain = self if is_linear or self.layout != COO else coalesce(self)
        return plain.like(_dense(name)(plain.held, *args, **kwargs))

    function.__name__ = name
    return function


def _keeping_in_place(name, rule):
    def function(self, *args, **kwargs):
        if name in _NOT_IN_PLACE or self.layout != COO and name in _COO_ONLY:
            _refuse("pow_.Scalar" if self.layout == COO else name + "_", self)
        if self.layout == COO and not self.coalesced and name not in _LINEAR:
            raise RuntimeError(f"{name}_ requires coalesced input")
        return _become(self, rule(self, *args, **kwargs))

    return function


_rule("is_nonzero")(bool)


@_rule("angle")
def _angle(self):
    return self.like(torch.angle(self.held)) if self.layout != COO else _refuse("angle", self)


@_rule("fill_")
def _fill_(self, value):
    return _become(self, self.like(torch.full_like(self.held, value))) if self.layout != COO else _refuse("fill_", self, (self, value))


for _name in (*_KEEPING, *_LINEAR):
    _made = _RULES["aten::" + _name] = _keeping(_name, _name in _LINEAR)
    _RULES[f"aten::{_name}_"] = _keeping_in_place(_name, _made)


# Sums and products.
def _both(a, b):
    """Two sparse tensors in the layout of the first, as COO, with sizes alike."""
    if a.shape != b.shape:
        raise RuntimeError(
            f"add: expected sizes of 'self' and 'other' to match, but {list(a.shape)} != {list(b.shape)}"
        )
    return as_coo(a), as_coo(b)


@_rule("add")
def add(self, other, *, alpha=1):
    """The sum; of a dense and a sparse tensor it is dense."""
    if not (is_sparse(self) and is_sparse(other)):
        found = self if is_sparse(self) else other
        if found.layout != COO:
            # A dense operand may stand on either side.
            dense, added = (self, to_dense(other)) if found is other else (other, to_dense(self))
        elif found is self:
            raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
        else:
            dense, added = self, to_dense(other)
        shape = tuple(dense.shape) if isinstance(dense, Tensor) else ()
        if shape != found.shape:
            kind = "dense" if found.layout == COO else "op2"
            raise RuntimeError(
                f"add: expected 'self' and 'other' to have same size, but self has size {list(shape)} while other has size "
                f"{list(found.shape)} (FYI: {kind}-sparse addition does not currently support broadcasting)"
            )
        return dense + alpha * added if found is other else added + alpha * dense
    if _batched(self) and _batched(other) and self.shape == other.shape:
        parts = [add(a, b, alpha=alpha) for a, b in zip(split_batch(self), split_batch(other))]
        return join_batch(parts, self.shape[: self.batch_dim()])
    a, b = _both(self, other)
    dtype = torch.promote_types(a.dtype, b.dtype)
    if alpha != 1:
        b = b.like(b.held * alpha)
    first, second = a.held.to(dtype), b.held.to(dtype)
    if a.coalesced and b.coalesced:
        total = coalesce(a.like(torch.cat([first, second]), torch.cat([a.places, b.places], 1), coalesced=False))
    elif not (first.is_contiguous() and second.is_contiguous()):
        total = a.like(torch.cat([first, second]), torch.cat([a.places, b.places], 1), coalesced=False)
    elif torch.equal(a.places, b.places):
        total = a.like(first + second, coalesced=False)
    else:
        total = _merged(a, b, first, second)
    total.made_by = "AddBackward0"
    return as_layout(total._coalesced_(a.coalesced and b.coalesced), self)


def _merged(a, b, first, second):
    """The sum of tensors whose places are in no order: these are gone through side by side, and what meets is added."""
    sizes = a.shape[: len(a.places)]
    mine, theirs = flat_places(a.places, sizes).tolist(), flat_places(b.places, sizes).tolist()
    take, meets, i, j = [], ([], []), 0, 0
    while i < len(mine) or j < len(theirs):
        is_mine = j == len(theirs) or i < len(mine) and mine[i] <= theirs[j]
        if is_mine and j < len(theirs) and i < len(mine) and mine[i] == theirs[j]:
            meets[0].append(len(take))
            meets[1].append(j)
            j += 1
        take.append(i if is_mine else len(mine) + j)
        i, j = (i + 1, j) if is_mine else (i, j + 1)
    taken = torch.tensor(take, dtype=torch.int64)
    held, places = torch.cat([first, second])[taken], torch.cat([a.places, b.places], 1)[:, taken]
    if meets[0]:
        at = torch.tensor(meets[0])
        held = held.index_copy(0, at, held[at] + second[torch.tensor(meets[1])])
    return a.like(held, places, coalesced=False)


def _negative(tensor):
    return tensor.like(-tensor.held) if is_sparse(tensor) else -tensor


@_rule("sub", "subtract")
def _sub(self, other, *, alpha=1):
    for tensor in (self, other):
        if is_sparse(tensor) and tensor.layout != COO:
            _refuse("sub", tensor)
    return add(self, other, alpha=-alpha)


_rule("rsub")(lambda self, other, alpha=1: add(_negative(self), other))


def _factor(other):
    """A number or a dense tensor without dimensions; None for anything else."""
    if isinstance(other, Tensor):
        return other if not is_sparse(other) and other.dim() == 0 else None
    return other


@_rule("mul", "multiply")
def mul(self, other):
    """The product, element by element: places that both have."""
    if not is_sparse(self):
        self, other = other, self
    factor = _factor(other)
    if factor is not None:
        return self.like(self.held * factor)
    if not is_sparse(other):
        # Places that are there twice stay so.
        a = as_coo(self)
        # What this raises is the refusal.
        shape = (torch.empty(other.shape, device="meta") * torch.empty(self.shape, device="meta")).shape
        if shape != self.shape:
            return mul(of_dense(to_dense(self).expand(shape)), other)
        held = a.held * other.expand(self.shape)[tuple(a.places)]
        return as_layout(a.like(held), self)
    if self.shape != other.shape:
        raise RuntimeError(
            "sparse_binary_op_intersection_cpu(): expects sparse inputs with equal dimensionality, number of sparse dimensions, and shape "
            "of sparse dimensions"
        )
    a, b = as_coo(self), as_coo(other)
    sizes = a.shape[: a.sparse_dim()]
    if not (a.coalesced and b.coalesced):
        return _product_by_places(a, b, sizes)
    first, second = flat_places(a.places, sizes), flat_places(b.places, sizes)
    kept, theirs = torch.isin(first, second), torch.isin(second, first)
    product = a.like(a.held[kept] * b.held[theirs], a.places[:, kept])
    return as_layout(product, self)


def _product_by_places(a, b, sizes):
    """The product at all places of the one that may have some twice: of the shorter of two such ones."""
    if b.coalesced or not a.coalesced and a.places.shape[1] < b.places.shape[1]:
        a, b = b, a
    a = coalesce(a)
    known, wanted = flat_places(a.places, sizes), flat_places(b.places, sizes)
    factors = a.held.new_zeros(wanted.shape + a.held.shape[1:])
    found = torch.isin(wanted, known)
    factors = factors.index_put((found,), a.held[torch.searchsorted(known, wanted[found])])
    return b.like(factors * b.held)


@_rule("div", "divide", "true_divide")
def _div(self, other, *, rounding_mode=None):
    factor = _factor(other)
    for tensor in (self, other):
        if is_sparse(tensor) and tensor.layout != COO:
            _refuse("div", tensor)
    if not is_sparse(self) or factor is None:
        raise RuntimeError(f"Sparse {'floor ' if rounding_mode else ''}division requires a scalar or zero-dim dense tensor divisor "
                           f"(got shape {list(other.shape)} for divisor)")
    plain = coalesce(self) if rounding_mode is not None and self.layout == COO else self
    return plain.like(torch.div(plain.held, factor, rounding_mode=rounding_mode))


@_rule("floor_divide")
def _floor_divide(self, other):
    if is_sparse(self) and self.layout != COO:
        _refuse("floor_divide", self)
    return _div(self, other, rounding_mode="floor")


def _in_place(rule):
    def function(self, *args, **kwargs):
        result = rule(self, *args, **kwargs)
        return _become(self, result) if is_sparse(self) else self.copy_(to_dense(result))

    return function


@_rule("add_")
def _add_(self, other, *, alpha=1):
    if is_sparse(self):
        return _become(self, add(self, other, alpha=alpha))
    coo = as_coo(other)
    if self.shape != other.shape:
        # What this raises is the refusal.
        add(self.detach(), other.detach(), alpha=alpha)
    if coo.sparse_dim() == 1:
        # Rows alone: what optimisers do with the gradients of tables.
        return self.index_add_(0, coo.places[0], coo.held.to(self.dtype), alpha=alpha)
    flat = flat_places(coo.places, coo.shape[: coo.sparse_dim()])
    added = self.flatten(0, coo.sparse_dim() - 1).index_add(0, flat, coo.held.to(self.dtype), alpha=alpha)
    return self.copy_(added.reshape(self.shape))


_rule("sub_", "subtract_")(lambda self, other, *, alpha=1: _add_(self, other, alpha=-alpha))
_rule("mul_", "multiply_")(_in_place(mul))
_rule("div_", "divide_", "true_divide_")(_in_place(_div))
_rule("floor_divide_")(_in_place(_floor_divide))
