"""Comparison of tensors in tests."""

from .._rushlight import Tensor
from ._file_check import FileCheck  # noqa: F401

_TOLERANCES = {"float16": (1e-3, 1e-5), "bfloat16": (1.6e-2, 1e-5), "float32": (1.3e-6, 1e-5), "float64": (1e-7, 1e-7)}


def assert_close(actual, expected, *, rtol=None, atol=None, equal_nan=False, msg=None):
    """Raises AssertionError unless two tensors, numbers or sequences of them agree within tolerances."""
    if isinstance(actual, (list, tuple)):
        if len(actual) != len(expected):
            raise AssertionError(f"The length of the sequences mismatch: {len(actual)} != {len(expected)}")
        for a, b in zip(actual, expected):
            assert_close(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan, msg=msg)
        return
    if not isinstance(actual, Tensor):
        from .. import tensor

        actual, expected = tensor(actual), tensor(expected)
    if actual.shape != expected.shape:
        raise AssertionError(msg or f"The values for attribute 'shape' do not match: {actual.shape} != {expected.shape}.")
    if actual.dtype != expected.dtype:
        raise AssertionError(msg or f"The values for attribute 'dtype' do not match: {actual.dtype} != {expected.dtype}.")
    default = _TOLERANCES.get(actual.dtype.name, (0.0, 0.0))
    rtol = default[0] if rtol is None else rtol
    atol = default[1] if atol is None else atol
    if not actual.isclose(expected, rtol, atol, equal_nan).all():
        raise AssertionError(msg or "Tensor-likes are not close!")


# The range of elements that nobody asked for another of, by kind of dtype.
_RANGES = {"uint8": (0, 10), "bool": (0, 2)}


def make_tensor(
    *shape, dtype, device=None, low=None, high=None, requires_grad=False, noncontiguous=False, exclude_zero=False,
    memory_format=None,
):
    """A tensor of random elements between two bounds."""
    import rushlight as torch

    sizes = tuple(shape[0]) if len(shape) == 1 and not isinstance(shape[0], int) else shape
    real = dtype.is_floating_point or dtype.is_complex
    first, last = _RANGES.get(dtype.name, (-9, 9) if real else (-9, 10))
    first, last = first if low is None else low, last if high is None else high
    if first > last or first == last and not real:
        raise ValueError(f"`low` must be less than `high`, but got {first} >= {last}")
    if dtype.is_complex:
        part = dtype.to_real()
        parts = torch.empty((*sizes, 2), dtype=part).uniform_(first, last)
        out = torch.view_as_complex(parts)
    elif real:
        out = torch.empty(sizes, dtype=dtype).uniform_(first, last)
    else:
        out = torch.randint(int(first), int(last), sizes, dtype=dtype)
    if exclude_zero:
        out[out == 0] = 1
    if noncontiguous and out.numel() > 1:
        out = torch.repeat_interleave(out, 2, dim=-1)[..., ::2]
    if memory_format is not None:
        out = out.contiguous(memory_format=memory_format)
    out.requires_grad = requires_grad
    return out
