"""Operators that work along dimensions: reductions, scans, sorting, softmax."""

import rushlight as _torch

from ._common import MISSING, Tensor, Unfit, bind, front, given, rule, shifted, wrap


def _at_least_a_line(value):
    """Samples without dimensions get one of size 1."""
    return value.unsqueeze(1) if value.dim() == 1 else value


def _kept(dim, none):
    return dim is MISSING or dim is None or (none and isinstance(dim, (tuple, list)) and not dim)


@rule("sum", "mean", "amax", "amin", "nansum", "nanmean", "logsumexp", "special_logsumexp", "count_nonzero", "all", "any")
def reduced(level, call, args, kwargs):
    """Reductions over any number of dimensions; over all where none is named."""
    self, *rest = args if args else (kwargs["input"],)
    named = {("dim" if k == "axis" else "keepdim" if k == "keepdims" else k): v for k, v in kwargs.items() if k != "input"}
    if len(rest) > 1 and not isinstance(rest[1], bool) or (rest and "dim" in named):
        raise Unfit
    value, rank = front(self), self.dim()
    if rest:
        dim, rest = rest[0], rest[1:]
    else:
        dim = named.pop("dim", None)
    keepdim = rest[0] if rest else named.pop("keepdim", False)
    if _kept(dim, True):
        dims = list(range(1, rank + 1))
    else:
        dims = shifted([dim] if isinstance(dim, int) else dim, rank)
    if rank == 0:
        value, dims, keepdim = value.unsqueeze(1), [1], False
    name = getattr(call, "__name__", "")
    if not dims:
        raise Unfit
    if len(dims) == 1:
        dims = dims[0]
    if isinstance(dims, list) and _kept(dim, True) and not keepdim:
        value, dims = value.flatten(1), 1
    if name == "count_nonzero":
        return wrap(call(value, dims), level)
    return wrap(call(value, dims, keepdim, **named), level)


@rule("prod", "argmax", "argmin", "median", "nanmedian", "max", "min", "quantile", "nanquantile")
def over_all_or_one(level, call, args, kwargs):
    """Reductions along one dimension, or of the whole sample, which then is a line."""
    name = args and _name_of(call)
    if name in ("quantile", "nanquantile"):
        return _quantile(level, call, args, kwargs)
    if len(args) == 2 and isinstance(args[1], Tensor) or "other" in kwargs:
        from .pointwise import several

        return several(level, call, args, kwargs)
    self, dim, keepdim = bind("self dim keepdim", args, {k: v for k, v in kwargs.items() if k != "dtype"})
    value, rank = front(self), self.dim()
    dtype = {"dtype": kwargs["dtype"]} if "dtype" in kwargs else {}
    if dim is MISSING or dim is None:
        if keepdim is True:
            raise Unfit
        value = value.reshape(value.shape[0], -1)
        if name in ("max", "min"):
            return wrap(value.amax(1) if name == "max" else value.amin(1), level)
        result = call(value, 1, **dtype)
        return wrap(result[0] if isinstance(result, tuple) else result, level)
    dim = shifted(dim, rank)
    if rank == 0:
        value, keepdim = value.unsqueeze(1), False
    return wrap(call(value, dim, *([] if keepdim is MISSING else [keepdim]), **dtype), level)


def _name_of(call):
    return getattr(call, "__name__", "")


def _quantile(level, call, args, kwargs):
    self, q, dim, keepdim = bind("self q dim keepdim", args, {k: v for k, v in kwargs.items() if k != "interpolation"})
    more = {"interpolation": kwargs["interpolation"]} if "interpolation" in kwargs else {}
    if isinstance(q, Tensor) or self.dim() == 0:
        raise Unfit
    value = front(self)
    if dim is MISSING or dim is None:
        return wrap(call(value.flatten(1), q, 1, **more), level)
    return wrap(call(value, q, shifted(dim, self.dim()), keepdim is True, **more), level)


@rule("std", "var", "std_mean", "var_mean")
def spread(level, call, args, kwargs):
    """Deviations, whose second argument is a dimension or whether they are unbiased."""
    self, *rest = args
    kwargs = {("dim" if k == "axis" else k): v for k, v in kwargs.items()}
    value, rank = front(self), self.dim()
    if rank == 0:
        raise Unfit
    whole = list(range(1, rank + 1))
    if rest and not isinstance(rest[0], bool):
        dim = rest.pop(0)
    else:
        dim = kwargs.pop("dim", None)
        if rest:
            kwargs["unbiased"] = rest.pop(0)
    dims = whole if dim is None or dim == () or dim == [] else shifted([dim] if isinstance(dim, int) else dim, rank)
    return wrap(call(value, dims, *rest, **kwargs), level)


@rule("norm", "linalg_vector_norm", "linalg_norm", "frobenius_norm")
def norms(level, call, args, kwargs):
    """Norms of vectors."""
    name = _name_of(call)
    self, *rest = args
    kwargs = dict(kwargs)
    order = rest.pop(0) if rest else kwargs.pop("p" if name == "norm" else "ord", None)
    dim = rest.pop(0) if rest else kwargs.pop("dim", None)
    keepdim = rest.pop(0) if rest else kwargs.pop("keepdim", False)
    if rest or set(kwargs) - {"dtype"} or name == "frobenius_norm":
        raise Unfit
    value, rank = front(self), self.dim()
    if name == "norm" and order == "fro":
        order = None
    if isinstance(order, str) or rank == 0 and keepdim:
        raise Unfit
    if name == "linalg_norm" and order is not None and (rank > 1 if dim is None else not isinstance(dim, int)):
        raise Unfit
    order = 2 if order is None else order
    if rank == 0:
        value, dims = value.unsqueeze(1), [1]
    elif dim is None:
        dims = list(range(1, rank + 1))
    else:
        dims = shifted([dim] if isinstance(dim, int) else dim, rank)
    return wrap(_torch.linalg.vector_norm(value, order, dims, bool(keepdim), **kwargs), level)


@rule(
    "softmax", "log_softmax", "_softmax", "_log_softmax", "special_softmax", "special_log_softmax", "cumsum", "cumprod", "cummax",
    "cummin", "glu", "logcumsumexp",
)
def along(level, call, args, kwargs):
    """Operators along one dimension that keep it."""
    self, dim, *rest = args if len(args) > 1 else (*args, (kwargs := dict(kwargs)).pop("dim", kwargs.pop("axis", MISSING)))
    if dim is MISSING:
        if _name_of(call) != "glu":
            raise Unfit
        dim = -1
    kwargs = {k: v for k, v in kwargs.items() if not (k == "_stacklevel")}
    value = front(self)
    flat = value.dim() == 1
    result = call(_at_least_a_line(value), shifted(dim, self.dim()), *rest, **kwargs)
    return wrap(_without_line(result) if flat else result, level)


def _without_line(result):
    if isinstance(result, Tensor):
        return result.squeeze(1)
    return type(result)(r.squeeze(1) for r in result)


@rule("sort", "argsort", "msort")
def sorting(level, call, args, kwargs):
    """Sorting along a dimension, the last unless one is named."""
    if _name_of(call) == "msort":
        return wrap(call(front(args[0]).movedim(1, 0)).movedim(0, 1), level) if args[0].dim() else args[0]
    self, dim, descending = bind("self dim descending", args, {k: v for k, v in kwargs.items() if k != "stable"}, dim=-1)
    more = {"stable": kwargs["stable"]} if "stable" in kwargs else {}
    descending = False if descending is MISSING else descending
    value = front(self)
    flat = value.dim() == 1
    result = call(_at_least_a_line(value), dim=shifted(dim, self.dim()), descending=descending, **more)
    return wrap(_without_line(result) if flat else result, level)


@rule("topk", "kthvalue")
def best(level, call, args, kwargs):
    """The greatest along a dimension."""
    self, k, dim, *rest = bind("self k dim a b" if _name_of(call) != "topk" else "self k dim largest sorted", args, kwargs, dim=-1)
    if self.dim() == 0 or isinstance(k, Tensor):
        raise Unfit
    return wrap(call(front(self), k, shifted(dim, self.dim()), *given(*rest)), level)


@rule("mode")
def mode(level, call, args, kwargs):
    """The most frequent along a dimension."""
    self, dim, keepdim = bind("self dim keepdim", args, kwargs, dim=-1, keepdim=False)
    if self.dim() == 0:
        raise Unfit
    return wrap(call(front(self), shifted(dim, self.dim()), keepdim), level)


@rule("cosine_similarity")
def cosine_similarity(level, call, args, kwargs):
    """The cosine between two tensors along a dimension."""
    from .pointwise import aligned

    one, two, dim, eps = bind("x1 x2 dim eps", args, kwargs, dim=1, eps=1e-8)
    rank = max(one.dim(), two.dim())
    one, two = aligned(level, [one, two])
    return wrap(call(one, two, shifted(dim, rank), eps), level)


@rule("diff")
def diff(level, call, args, kwargs):
    """Differences of neighbours."""
    self, n, dim = bind("self n dim", args, kwargs, n=1, dim=-1)
    if self.dim() == 0:
        raise Unfit
    return wrap(call(front(self), n, shifted(dim, self.dim())), level)
