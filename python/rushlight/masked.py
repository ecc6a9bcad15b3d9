"""``torch.masked``: reductions and normalisations that leave elements out, and tensors with masks of their own."""

import rushlight as torch

# Names of ``_masked_tensor``, which needs all of this module.
_OF_TENSORS = ("MaskedTensor", "masked_tensor", "as_masked_tensor", "is_masked_tensor")

__all__ = [
    "MaskedTensor", "amax", "amin", "argmax", "argmin", "as_masked_tensor", "cumprod", "cumsum", "is_masked_tensor", "log_softmax",
    "logaddexp", "logsumexp", "masked_tensor", "mean", "median", "norm", "normalize", "prod",
    "softmax", "softmin", "std", "sum", "var",
]  # fmt: skip


def __getattr__(name):
    if name not in _OF_TENSORS:
        raise AttributeError(f"module 'torch.masked' has no attribute '{name}'")
    from . import _masked_tensor

    return getattr(_masked_tensor, name)


def _whole_mask(input, mask):
    """The mask as truth values, as large as the input."""
    if len(mask.shape) > input.dim():
        raise IndexError("_input_mask expected broadcastable mask (got mask dimensionality higher than of the input)")
    mask = mask if mask.layout == torch.strided else mask.to_dense()
    return torch.broadcast_to(mask.bool(), input.shape)


def _lowest(name):
    """What no element of a dtype is below."""

    def least(dtype):
        if dtype == torch.bool:
            raise NotImplementedError(f"identity of {name} on {dtype} input")
        return float("-inf") if dtype.is_floating_point else torch.iinfo(dtype).min

    return least


def _highest(name):
    """What no element of a dtype is above."""

    def greatest(dtype):
        if dtype == torch.bool:
            raise NotImplementedError(f"identity of {name} on {dtype} input")
        return float("inf") if dtype.is_floating_point else torch.iinfo(dtype).max

    return greatest


def _nothing(dtype):
    """The logarithm of zero, also as a complex number."""
    return float("-inf") if dtype.is_complex else _lowest("logsumexp")(dtype)


def _filled(name, input, mask, value):
    """The input, with a number where it is masked out, which may depend on the dtype."""
    if input.layout != torch.strided:
        raise NotImplementedError(f"torch.masked.{name}: sparse tensors with masks are not part of Rushlight")
    if mask is None:
        return input
    mask = _whole_mask(input, mask)
    value = value(input.dtype) if callable(value) else value
    return torch.where(mask, input, torch.tensor(value, dtype=input.dtype))


def _dims(dim, rank):
    """The dimensions that are meant: all of them for None."""
    found = []
    for one in range(rank) if dim is None else (dim,) if isinstance(dim, int) else dim:
        if not -max(rank, 1) <= one < max(rank, 1):
            raise IndexError(f"Dimension out of range (expected to be in range of [{-max(rank, 1)}, {max(rank, 1) - 1}], but got {one})")
        if one % max(rank, 1) in found:
            raise RuntimeError(f"dim={one} appears multiple times in the list of dims")
        found.append(one % max(rank, 1))
    return tuple(found)


def sum(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The sum of what is not masked out."""
    given = _filled("sum", input, mask, 0)
    return torch.sum(given, _dims(dim, input.dim()), bool(keepdim), dtype=dtype)


def prod(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The product of what is not masked out."""
    result = _filled("prod", input, mask, 1)
    if dtype is None and not (input.is_floating_point() or input.is_complex()):
        dtype = torch.int64
    for one in sorted(_dims(dim, input.dim()) or range(input.dim()), reverse=True):
        result = torch.prod(result, one, bool(keepdim))
    return result.to(dtype or input.dtype)


def amax(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The largest of what is not masked out."""
    given = _filled("amax", input, mask, _lowest("amax"))
    return torch.amax(given, _dims(dim, input.dim()), bool(keepdim)).to(dtype or input.dtype)


def amin(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The smallest of what is not masked out."""
    given = _filled("amin", input, mask, _highest("amin"))
    return torch.amin(given, _dims(dim, input.dim()), bool(keepdim)).to(dtype or input.dtype)


def argmax(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """Where the largest is of what is not masked out, as a number of the input's dtype."""
    given = _filled("argmax", input, mask, _lowest("argmax"))
    return torch.argmax(given, dim, bool(keepdim)).to(dtype or input.dtype)


def argmin(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """Where the smallest is of what is not masked out, as a number of the input's dtype."""
    given = _filled("argmin", input, mask, _highest("argmin"))
    return torch.argmin(given, dim, bool(keepdim)).to(dtype or input.dtype)


def logsumexp(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The logarithm of the sum of the exponentials of what is not masked out."""
    given = _filled("logsumexp", input, mask, _nothing)
    return torch.logsumexp(given, _dims(dim, input.dim()), keepdim).to(dtype or input.dtype)


def logaddexp(input, other, *, dtype=None, input_mask=None, other_mask=None):
    """The logarithm of the sum of two exponentials; what is masked out of one of them adds nothing."""
    one = _filled("logaddexp", input, input_mask, _lowest("logaddexp"))
    two = _filled("logaddexp", other, other_mask, _lowest("logaddexp"))
    return torch.logaddexp(one, two).to(dtype or input.dtype)


def norm(input, ord=2.0, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The length of what is not masked out."""
    given = _filled("norm", input, mask, float("inf") if ord == float("-inf") else 0)
    return torch.linalg.vector_norm(given, ord, _dims(dim, input.dim()), bool(keepdim), dtype=dtype)


def _counted(input, mask, dim):
    """How many elements are not masked out."""
    ones = torch.ones(input.shape, dtype=torch.int64)
    return torch.sum(ones if mask is None else ones * _whole_mask(input, mask), dim, True)


def mean(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The mean of what is not masked out."""
    dtype = dtype or input.dtype
    if not (dtype.is_floating_point or dtype.is_complex):
        raise ValueError(
            "mean(): Could not infer output dtype. Input dtype must be either a floating point or complex dtype. "
            f"Got: {input.dtype}"
        )  # fmt: skip
    total = torch.sum(_filled("mean", input, mask, 0), dim, True, dtype=dtype)
    return _without(total / _counted(input, mask, dim), dim, keepdim).to(dtype)


def _without(result, dim, keepdim):
    """The result without the dimensions that were reduced, if they are not kept."""
    is_all = dim is None or dim == ()
    return result if keepdim else result.squeeze(_dims(None if is_all else dim, result.dim()))


def _spread(name, input, dim, unbiased, correction, keepdim, dtype, mask):
    """The mean square of the distances from the mean."""
    if unbiased is not None and correction is not None:
        raise ValueError(f"{name}(): only one of unbiased and correction can be given")
    if correction is None:
        correction = 0.0 if unbiased is False else 1.0
    is_exact = input.is_floating_point() or input.is_complex()
    dtype = dtype or (input.dtype if is_exact else torch.get_default_dtype())
    # Truth values stay, as their differences are refused.
    given = input if is_exact or input.dtype == torch.bool else input.to(dtype)
    count = _counted(input, mask, dim)
    middle = torch.sum(_filled(name, given, mask, 0), dim, True) / count
    distance = _filled(name, given - middle, mask, 0)
    square = distance * distance.conj() if given.is_complex() else distance * distance
    found = torch.sum(square, dim, True) / torch.clamp_min(count - correction, 0)
    return _without(found, dim, keepdim).to(dtype)


def var(input, dim=None, unbiased=None, *, correction=None, keepdim=False, dtype=None, mask=None):
    """The variance of what is not masked out."""
    return _spread("var", input, dim, unbiased, correction, keepdim, dtype, mask)


def std(input, dim=None, unbiased=None, *, correction=None, keepdim=False, dtype=None, mask=None):
    """The standard deviation of what is not masked out."""
    return _spread("std", input, dim, unbiased, correction, keepdim, dtype, mask).sqrt()


def median(input, dim=-1, *, keepdim=False, dtype=None, mask=None):
    """The lower middle of what is not masked out."""
    is_exact = input.is_floating_point()
    given = input if is_exact else input.to(torch.float64)
    given = _filled("median", given, mask, float("nan"))
    dim = _dims(dim, input.dim())[0]
    if not is_exact and mask is not None and bool(given.isnan().all(dim).any()):
        raise ValueError("masked median expects no fully masked out rows if dtype is not floating point")
    return torch.nanmedian(given, dim, keepdim).values.to(dtype or input.dtype)


def _strided(name, input):
    if input.layout != torch.strided:
        raise ValueError(f"masked {name} expects strided tensor (got {input.layout} tensor)")


def softmax(input, dim, *, dtype=None, mask=None):
    """The softmax of what is not masked out; the rest is zero."""
    _strided("softmax", input)
    return torch.softmax(_filled("softmax", input, mask, _lowest("amax")), _dims(dim, input.dim())[0], dtype=dtype)


def log_softmax(input, dim, *, dtype=None, mask=None):
    """The logarithm of the softmax of what is not masked out."""
    _strided("log_softmax", input)
    return torch.log_softmax(_filled("log_softmax", input, mask, _lowest("amax")), _dims(dim, input.dim())[0], dtype=dtype)


def softmin(input, dim, *, dtype=None, mask=None):
    """The softmax of the negatives of what is not masked out."""
    _strided("softmin", input)
    return torch.softmax(-_filled("softmin", input, mask, _highest("amin")), _dims(dim, input.dim())[0], dtype=dtype)


def normalize(input, ord, dim, *, eps=1e-12, dtype=None, mask=None):
    """What is not masked out, divided by its length."""
    _strided("normalize", input)
    length = norm(input, ord, dim, keepdim=True, dtype=dtype, mask=mask)
    return _filled("normalize", input, mask, 0) / torch.clamp_min(length, eps)


def cumsum(input, dim, *, dtype=None, mask=None):
    """The running sum of what is not masked out."""
    return torch.cumsum(_filled("cumsum", input, mask, 0), _dims(dim, input.dim())[0], dtype=dtype or input.dtype)


def cumprod(input, dim, *, dtype=None, mask=None):
    """The running product of what is not masked out."""
    return torch.cumprod(_filled("cumprod", input, mask, 1), _dims(dim, input.dim())[0], dtype=dtype or input.dtype)
