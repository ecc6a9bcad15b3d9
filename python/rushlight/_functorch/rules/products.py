"""Products of vectors and matrices."""

import math

import rushlight as _torch

from ._common import MISSING, Unfit, all_front, batched_at, bind, front, refuse, rule, wrap


def _as_matrices(tensor, level, is_left):
    """All samples as a stack of matrices, and whether a sample is a line."""
    value = front(tensor) if batched_at(tensor, level) else tensor
    if tensor.dim() == 0:
        raise Unfit
    line = tensor.dim() == 1
    if line:
        value = value.unsqueeze(-2 if is_left else -1)
    return value, line


def product(level, left, right):
    """``left @ right`` for all samples, the samples first."""
    one, left_line = _as_matrices(left, level, True)
    two, right_line = _as_matrices(right, level, False)
    rank = max(left.dim(), right.dim(), 2)
    if batched_at(left, level):
        one = one.reshape(one.shape[0], *[1] * (rank + 1 - one.dim()), *one.shape[1:])
    if batched_at(right, level):
        two = two.reshape(two.shape[0], *[1] * (rank + 1 - two.dim()), *two.shape[1:])
    if not batched_at(right, level) and two.dim() == 2 and one.dim() == 3:
        # One matrix for all samples: a single product.
        result = one.reshape(-1, one.shape[-1]).matmul(two).reshape(*one.shape[:-1], two.shape[-1])
    else:
        result = _torch.matmul(one, two)
    if right_line:
        result = result.squeeze(-1)
    if left_line:
        result = result.squeeze(-1 if right_line else -2)
    return result


@rule("matmul", "linalg_matmul", "__matmul__")
def matmul(level, call, args, kwargs):
    """Products of all kinds."""
    left, right = args if len(args) == 2 else (*args, *kwargs.values())
    return wrap(product(level, left, right), level)


_RANKS = {"mm": (2, 2), "bmm": (3, 3), "mv": (2, 1), "dot": (1, 1), "inner": (1, 1), "vdot": (1, 1)}


@rule("mm", "bmm", "mv", "dot", "inner", "vdot")
def of_ranks(level, call, args, kwargs):
    """Products of tensors with as many dimensions as the name says."""
    left, right = args if len(args) == 2 else (*args, *kwargs.values())
    name = getattr(call, "__name__", "")
    if name == "mm" and (left.dim(), right.dim()) != (2, 2):
        # The reference's words, missing spaces and all.
        refuse(
            f"Shape mismatch: Got incorrect dims for mm(a, b). a has dim {left.dim()}and b has dim {right.dim()}but expected them to "
            "have dim 2 and dim 2"
        )
    if (left.dim(), right.dim()) != _RANKS[name] or left.dtype != right.dtype:
        raise Unfit
    if name == "vdot":
        left = left.conj()
    return wrap(product(level, left, right), level)


@rule("addmm", "addmv", "baddbmm")
def added(level, call, args, kwargs):
    """A product and a sum."""
    bias, left, right = args[0], args[1], args[2]
    if len(args) > 3 or set(kwargs) - {"alpha", "beta"} or left.dim() < 2:
        raise Unfit
    result = wrap(product(level, left, right), level) if _any(level, left, right) else _torch.matmul(left, right)
    alpha, beta = kwargs.get("alpha", 1), kwargs.get("beta", 1)
    if alpha != 1:
        result = result * alpha
    if beta == 0:
        return result
    return result + (bias if beta == 1 else bias * beta)


def _any(level, *tensors):
    return any(batched_at(t, level) for t in tensors)


@rule("linear")
def linear(level, call, args, kwargs):
    """A layer: inputs times weights, plus bias."""
    given, weight, bias = bind("input weight bias", [], {**kwargs, **dict(zip(("input", "weight", "bias"), args))}, bias=None)
    if not batched_at(weight, level) and (bias is None or not batched_at(bias, level)):
        return wrap(call(front(given), weight, *([] if bias is None else [bias])), level)
    if weight.dim() != 2:
        raise Unfit
    if _any(level, given, weight):
        if batched_at(weight, level) and given.dim() > 2:
            # One product of matrices for each sample.
            value = given.reshape(-1, given.shape[-1])
            result = wrap(product(level, value, weight.transpose(0, 1)), level).reshape(*given.shape[:-1], weight.shape[0])
        else:
            result = wrap(product(level, given, weight.transpose(0, 1)), level)
    else:
        result = call(given, weight)
    return result if bias is None else result + bias


@rule("outer", "ger")
def outer(level, call, args, kwargs):
    """All products of two lines."""
    left, right = args
    if left.dim() != 1 or right.dim() != 1:
        raise Unfit
    return left.unsqueeze(1) * right.unsqueeze(0)


@rule("einsum")
def einsum(level, call, args, kwargs):
    """Sums of products by letters: samples get a letter of their own."""
    equation, *operands = args
    if not isinstance(equation, str):
        raise Unfit
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = list(operands[0])
    equation = equation.replace(" ", "")
    inputs, arrow, output = equation.partition("->")
    if not arrow:
        letters = inputs.replace(",", "").replace("...", "")
        output = ("..." if "..." in inputs else "") + "".join(sorted(c for c in set(letters) if letters.count(c) == 1))
    free = next(c for c in "zyxwvutsrqponmlkjihgfedcbaZYXWVUTSRQPONMLKJIHGFEDCBA" if c not in equation)
    terms, values = inputs.split(","), []
    if len(terms) != len(operands):
        raise Unfit
    for i, operand in enumerate(operands):
        if batched_at(operand, level):
            terms[i] = free + terms[i]
            operand = front(operand)
        values.append(operand)
    return wrap(_torch.einsum(f"{','.join(terms)}->{free}{output}", *values), level)


@rule("kron", "linalg_cross", "cross")
def others(level, call, args, kwargs):
    """Products that need a closer look."""
    if getattr(call, "__name__", "") == "kron":
        raise Unfit
    left, right, dim = bind("self other dim", args, kwargs, dim=MISSING)
    if left.dim() != right.dim():
        raise Unfit
    if dim is MISSING or dim is None:
        dim = -1 if "linalg" in str(getattr(call, "operator", "")) else next(i for i, n in enumerate(left.shape) if n == 3)
    dim = dim % left.dim() + 1
    return wrap(_torch.linalg.cross(all_front(left, level), all_front(right, level), dim=dim), level)


@rule("bilinear")
def bilinear(level, call, args, kwargs):
    """A layer of two inputs."""
    one, two, weight, bias = bind("input1 input2 weight bias", args, kwargs, bias=None)
    if batched_at(weight, level) or bias is not None and batched_at(bias, level):
        raise Unfit
    return wrap(call(all_front(one, level), all_front(two, level), weight, bias), level)


@rule("linalg_vecdot")
def vecdot(level, call, args, kwargs):
    """Products of lines along a dimension."""
    one, two, dim = bind("x y dim", args, {("x" if k == "self" else k): v for k, v in kwargs.items()}, dim=-1)
    return (one.conj() * two if one.is_complex() else one * two).sum(dim)


@rule("addr")
def addr(level, call, args, kwargs):
    """A tensor and all products of two lines."""
    bias, one, two = args
    return kwargs.get("beta", 1) * bias + kwargs.get("alpha", 1) * one.unsqueeze(1) * two.unsqueeze(0)


@rule("tensordot")
def tensordot(level, call, args, kwargs):
    """Sums of products over dimensions of both."""
    if len(args) == 4:
        one, two, left, right = args
    elif "dims_self" in kwargs:
        one, two = args
        left, right = kwargs["dims_self"], kwargs["dims_other"]
    else:
        raise Unfit
    left, right = [d % one.dim() for d in left], [d % two.dim() for d in right]
    if [one.shape[d] for d in left] != [two.shape[d] for d in right]:
        raise Unfit
    kept = [d for d in range(one.dim()) if d not in left], [d for d in range(two.dim()) if d not in right]
    sizes = [one.shape[d] for d in kept[0]], [two.shape[d] for d in kept[1]]
    rows = one.permute(*kept[0], *left).reshape(math.prod(sizes[0]), -1)
    columns = two.permute(*right, *kept[1]).reshape(-1, math.prod(sizes[1]))
    return rows.mm(columns).reshape((*sizes[0], *sizes[1]))


@rule("cdist")
def cdist(level, call, args, kwargs):
    """Distances of all pairs of lines."""
    one, two = args[0], args[1]
    if one.dim() != two.dim() or one.dim() < 2:
        raise Unfit
    return wrap(call(all_front(one, level), all_front(two, level), *args[2:], **kwargs), level)
