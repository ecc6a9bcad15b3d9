"""What tests of programs use: comparison, random tensors, checks of graphs."""

from ._comparison import assert_allclose, assert_close  # noqa: F401
from ._file_check import FileCheck  # noqa: F401

# The range of elements that nobody asked for another of, by kind of dtype.
_RANGES = {"uint8": (0, 10), "bool": (0, 2)}


def make_tensor(
    *shape, dtype, device, low=None, high=None, requires_grad=False, noncontiguous=False, exclude_zero=False,
    memory_format=None,
):
    """A tensor of random elements between two bounds."""
    import rushlight as torch

    sizes = tuple(shape[0]) if len(shape) == 1 and not isinstance(shape[0], int) else shape
    if noncontiguous and sizes:
        # Every other element of twice as many.
        sizes = (*sizes[:-1], 2 * sizes[-1])
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
    if noncontiguous and sizes:
        out = out[..., 1::2]
    if memory_format is not None:
        out = out.contiguous(memory_format=memory_format)
    out.requires_grad = requires_grad
    return out
