"""Pooling. Functions that may return indices come in two forms, told apart by ``return_indices``."""

from typing import List, Optional, Tuple, Union

import rushlight as torch

from ..._jit_internal import BroadcastingList1, BroadcastingList2, BroadcastingList3, boolean_dispatch
from ..._library import publish
from ..._rushlight import Tensor
from .._sizes import filled, repeated
from ._activation import relu


def _steps(stride: Optional[List[int]]) -> List[int]:
    """The stride as operators take it: an empty one stands for the size of the kernel."""
    return stride if stride is not None else torch.jit.annotate(List[int], [])


def adaptive_avg_pool2d(input: Tensor, output_size: BroadcastingList2[int]) -> Tensor:
    """Averages over windows chosen so that the output has the given sizes."""
    if torch.jit.is_scripting():
        assert len(input.size()) > len(output_size)
    else:
        output_size = repeated(filled(output_size, input.size()), 2)
        if input.dim() == 2 and list(output_size) == [1, 1]:
            return input.mean((-1, -2), keepdim=True)
    return torch._C._nn.adaptive_avg_pool2d(input, output_size)


def adaptive_avg_pool3d(input: Tensor, output_size: BroadcastingList3[int]) -> Tensor:
    """Averages over windows chosen so that the output has the given sizes."""
    if torch.jit.is_scripting():
        assert len(input.size()) > len(output_size)
    else:
        output_size = repeated(filled(output_size, input.size()), 3)
    return torch._C._nn.adaptive_avg_pool3d(input, output_size)


def adaptive_max_pool1d_with_indices(
    input: Tensor, output_size: BroadcastingList1[int], return_indices: bool = False
) -> Tuple[Tensor, Tensor]:
    """Maxima over windows chosen so that the output has the given size, and where they are."""
    return torch.adaptive_max_pool1d(input, output_size)


def _adaptive_max_pool1d(input: Tensor, output_size: BroadcastingList1[int], return_indices: bool = False) -> Tensor:
    return adaptive_max_pool1d_with_indices(input, output_size)[0]


def adaptive_max_pool2d_with_indices(
    input: Tensor, output_size: BroadcastingList2[int], return_indices: bool = False
) -> Tuple[Tensor, Tensor]:
    """Maxima over windows chosen so that the output has the given sizes, and where they are."""
    if torch.jit.is_scripting():
        assert len(input.size()) > len(output_size)
    else:
        output_size = repeated(filled(output_size, input.size()), 2)
    return torch._C._nn.adaptive_max_pool2d(input, output_size)


def _adaptive_max_pool2d(input: Tensor, output_size: BroadcastingList2[int], return_indices: bool = False) -> Tensor:
    return adaptive_max_pool2d_with_indices(input, output_size)[0]


def adaptive_max_pool3d_with_indices(
    input: Tensor, output_size: BroadcastingList3[int], return_indices: bool = False
) -> Tuple[Tensor, Tensor]:
    """Maxima over windows chosen so that the output has the given sizes, and where they are."""
    if torch.jit.is_scripting():
        assert len(input.size()) > len(output_size)
    else:
        output_size = repeated(filled(output_size, input.size()), 3)
    return torch._C._nn.adaptive_max_pool3d(input, output_size)


def _adaptive_max_pool3d(input: Tensor, output_size: BroadcastingList3[int], return_indices: bool = False) -> Tensor:
    return adaptive_max_pool3d_with_indices(input, output_size)[0]


def _fractional_sizes(
    input: Tensor, n: int, output_size: Optional[List[int]], ratio: Optional[List[float]]
) -> List[int]:
    """The sizes asked for, or the parts of the input's last ``n`` sizes that the ratio says."""
    if output_size is not None:
        return output_size
    if ratio is None:
        raise ValueError(f"fractional_max_pool{n}d requires specifying either an output_size or an output_ratio")
    if n == 2 and len(ratio) > n:
        raise ValueError("fractional_max_pool2d requires output_ratio to either be a single Int or tuple of Ints.")
    return [int(input.size(d - n) * ratio[d]) for d in range(n)]


def _random_places(input: Tensor, n: int) -> Tensor:
    """Where the windows of each channel are, a number between 0 and 1 for each of ``n`` dimensions."""
    n_batch = 1 if input.dim() == n + 1 else input.size(0)
    return torch.rand(n_batch, input.size(-1 - n), n, dtype=input.dtype, device=input.device)


def fractional_max_pool2d_with_indices(
    input: Tensor,
    kernel_size: BroadcastingList2[int],
    output_size: Optional[BroadcastingList2[int]] = None,
    output_ratio: Optional[BroadcastingList2[float]] = None,
    return_indices: bool = False,
    _random_samples: Optional[Tensor] = None,
) -> Tuple[Tensor, Tensor]:
    """Maxima over windows at random places, and where they are."""
    if not torch.jit.is_scripting():
        kernel_size, output_size = repeated(kernel_size, 2), repeated(output_size, 2)
        if output_ratio is not None:
            len(output_ratio)
    sizes = _fractional_sizes(input, 2, output_size, output_ratio)
    _random_samples = _random_samples if _random_samples is not None else _random_places(input, 2)
    return torch._C._nn.fractional_max_pool2d(input, kernel_size, sizes, _random_samples)


def _fractional_max_pool2d(
    input: Tensor,
    kernel_size: BroadcastingList2[int],
    output_size: Optional[BroadcastingList2[int]] = None,
    output_ratio: Optional[BroadcastingList2[float]] = None,
    return_indices: bool = False,
    _random_samples: Optional[Tensor] = None,
) -> Tensor:
    return fractional_max_pool2d_with_indices(
        input, kernel_size, output_size, output_ratio, return_indices, _random_samples
    )[0]


def fractional_max_pool3d_with_indices(
    input: Tensor,
    kernel_size: BroadcastingList3[int],
    output_size: Optional[BroadcastingList3[int]] = None,
    output_ratio: Optional[BroadcastingList3[float]] = None,
    return_indices: bool = False,
    _random_samples: Optional[Tensor] = None,
) -> Tuple[Tensor, Tensor]:
    """Maxima over windows at random places, and where they are."""
    if not torch.jit.is_scripting():
        kernel_size, output_size = repeated(kernel_size, 3), repeated(output_size, 3)
        output_ratio = repeated(output_ratio, 3)
    sizes = _fractional_sizes(input, 3, output_size, output_ratio)
    _random_samples = _random_samples if _random_samples is not None else _random_places(input, 3)
    return torch._C._nn.fractional_max_pool3d(input, kernel_size, sizes, _random_samples)


def _fractional_max_pool3d(
    input: Tensor,
    kernel_size: BroadcastingList3[int],
    output_size: Optional[BroadcastingList3[int]] = None,
    output_ratio: Optional[BroadcastingList3[float]] = None,
    return_indices: bool = False,
    _random_samples: Optional[Tensor] = None,
) -> Tensor:
    return fractional_max_pool3d_with_indices(
        input, kernel_size, output_size, output_ratio, return_indices, _random_samples
    )[0]


def max_pool1d_with_indices(
    input: Tensor,
    kernel_size: BroadcastingList1[int],
    stride: Optional[BroadcastingList1[int]] = None,
    padding: BroadcastingList1[int] = 0,
    dilation: BroadcastingList1[int] = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Tuple[Tensor, Tensor]:
    """Maxima over windows, and where they are."""
    if stride is None:
        stride = torch.jit.annotate(List[int], [])
    return torch.max_pool1d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)


def _max_pool1d(
    input: Tensor,
    kernel_size: BroadcastingList1[int],
    stride: Optional[BroadcastingList1[int]] = None,
    padding: BroadcastingList1[int] = 0,
    dilation: BroadcastingList1[int] = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Tensor:
    if stride is None:
        stride = torch.jit.annotate(List[int], [])
    return torch.max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool2d_with_indices(
    input: Tensor,
    kernel_size: BroadcastingList2[int],
    stride: Optional[BroadcastingList2[int]] = None,
    padding: BroadcastingList2[int] = 0,
    dilation: BroadcastingList2[int] = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Tuple[Tensor, Tensor]:
    """Maxima over windows, and where they are."""
    if stride is None:
        stride = torch.jit.annotate(List[int], [])
    return torch._C._nn.max_pool2d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)


def _max_pool2d(
    input: Tensor,
    kernel_size: BroadcastingList2[int],
    stride: Optional[BroadcastingList2[int]] = None,
    padding: BroadcastingList2[int] = 0,
    dilation: BroadcastingList2[int] = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Tensor:
    if stride is None:
        stride = torch.jit.annotate(List[int], [])
    return torch.max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool3d_with_indices(
    input: Tensor,
    kernel_size: BroadcastingList3[int],
    stride: Optional[BroadcastingList3[int]] = None,
    padding: BroadcastingList3[int] = 0,
    dilation: BroadcastingList3[int] = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Tuple[Tensor, Tensor]:
    """Maxima over windows, and where they are."""
    if stride is None:
        stride = torch.jit.annotate(List[int], [])
    return torch._C._nn.max_pool3d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)


def _max_pool3d(
    input: Tensor,
    kernel_size: BroadcastingList3[int],
    stride: Optional[BroadcastingList3[int]] = None,
    padding: BroadcastingList3[int] = 0,
    dilation: BroadcastingList3[int] = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Tensor:
    if stride is None:
        stride = torch.jit.annotate(List[int], [])
    return torch.max_pool3d(input, kernel_size, stride, padding, dilation, ceil_mode)


# With indices or without, as ``return_indices`` says.
max_pool1d = boolean_dispatch(
    "return_indices", 6, False, max_pool1d_with_indices, _max_pool1d, "torch.nn.functional", "max_pool1d"
)
max_pool2d = boolean_dispatch(
    "return_indices", 6, False, max_pool2d_with_indices, _max_pool2d, "torch.nn.functional", "max_pool2d"
)
max_pool3d = boolean_dispatch(
    "return_indices", 6, False, max_pool3d_with_indices, _max_pool3d, "torch.nn.functional", "max_pool3d"
)
adaptive_max_pool1d = boolean_dispatch(
    "return_indices", 2, False, adaptive_max_pool1d_with_indices, _adaptive_max_pool1d, "torch.nn.functional", "adaptive_max_pool1d"
)
adaptive_max_pool2d = boolean_dispatch(
    "return_indices", 2, False, adaptive_max_pool2d_with_indices, _adaptive_max_pool2d, "torch.nn.functional", "adaptive_max_pool2d"
)
adaptive_max_pool3d = boolean_dispatch(
    "return_indices", 2, False, adaptive_max_pool3d_with_indices, _adaptive_max_pool3d, "torch.nn.functional", "adaptive_max_pool3d"
)
fractional_max_pool2d = boolean_dispatch(
    "return_indices", 4, False, fractional_max_pool2d_with_indices, _fractional_max_pool2d, "torch.nn.functional", "fractional_max_pool2d"
)
fractional_max_pool3d = boolean_dispatch(
    "return_indices", 4, False, fractional_max_pool3d_with_indices, _fractional_max_pool3d, "torch.nn.functional", "fractional_max_pool3d"
)


def _unpooled_sizes(
    input: Tensor, kernel_size: List[int], stride: List[int], padding: List[int], output_size: Optional[List[int]]
) -> List[int]:
    """The sizes that unpooling makes: those asked for, or those that pooling without remainder came from."""
    n = len(kernel_size)
    pooled = input.size()[-n:]
    exact = [(pooled[d] - 1) * stride[d] + kernel_size[d] - 2 * padding[d] for d in range(n)]
    sizes = exact if output_size is None else _asked_sizes(output_size, exact, stride)
    for d, size in enumerate(sizes):
        if size < 0:
            raise ValueError(
                "max_unpooling: output_size must contain non-negative spatial dimensions, "
                f"but got output_size[{d}]={size}"
            )
    return sizes


def _asked_sizes(output_size: List[int], exact: List[int], stride: List[int]) -> List[int]:
    """The spatial part of the sizes asked for; pooling must lead from each to the size of the input."""
    n = len(exact)
    sizes = output_size[2:] if len(output_size) == n + 2 else output_size
    if len(sizes) != n:
        raise ValueError(
            "output_size should be a sequence containing "
            f"{n} or {n + 2} elements, but it has a length of '{len(sizes)}'"
        )
    for d in range(n):
        low, high = exact[d] - stride[d], exact[d] + stride[d]
        if not low < sizes[d] < high:
            raise ValueError(f'invalid output_size "{sizes}" (dim {d} must be between {low} and {high})')
    return sizes


def max_unpool1d(
    input: Tensor,
    indices: Tensor,
    kernel_size: BroadcastingList1[int],
    stride: Optional[BroadcastingList1[int]] = None,
    padding: BroadcastingList1[int] = 0,
    output_size: Optional[BroadcastingList1[int]] = None,
) -> Tensor:
    """Puts maxima back where they came from; the rest is zero."""
    if not torch.jit.is_scripting():
        kernel_size, stride, padding = repeated(kernel_size, 1), repeated(stride, 1), repeated(padding, 1)
    step = stride if stride is not None else kernel_size
    sizes = _unpooled_sizes(input, kernel_size, step, padding, output_size)
    return torch._C._nn.max_unpool2d(input.unsqueeze(-1), indices.unsqueeze(-1), list(sizes) + [1]).squeeze(-1)


def max_unpool2d(
    input: Tensor,
    indices: Tensor,
    kernel_size: BroadcastingList2[int],
    stride: Optional[BroadcastingList2[int]] = None,
    padding: BroadcastingList2[int] = 0,
    output_size: Optional[BroadcastingList2[int]] = None,
) -> Tensor:
    """Puts maxima back where they came from; the rest is zero."""
    if not torch.jit.is_scripting():
        kernel_size, stride, padding = repeated(kernel_size, 2), repeated(stride, 2), repeated(padding, 2)
    step = stride if stride is not None else kernel_size
    sizes = _unpooled_sizes(input, kernel_size, step, padding, output_size)
    return torch._C._nn.max_unpool2d(input, indices, sizes)


def max_unpool3d(
    input: Tensor,
    indices: Tensor,
    kernel_size: BroadcastingList3[int],
    stride: Optional[BroadcastingList3[int]] = None,
    padding: BroadcastingList3[int] = 0,
    output_size: Optional[BroadcastingList3[int]] = None,
) -> Tensor:
    """Puts maxima back where they came from; the rest is zero."""
    if not torch.jit.is_scripting():
        kernel_size, stride, padding = repeated(kernel_size, 3), repeated(stride, 3), repeated(padding, 3)
    step = stride if stride is not None else kernel_size
    sizes = _unpooled_sizes(input, kernel_size, step, padding, output_size)
    return torch._C._nn.max_unpool3d(input, indices, sizes, step, padding)


def _refuse_zero_norm(norm_type: Union[int, float]) -> None:
    if norm_type == 0:
        raise ValueError(f"norm_type must be a non-zero value, but got {norm_type}")


def _roots(out: Tensor, count: int, norm_type: Union[int, float]) -> Tensor:
    """Roots of sums of powers, from the means of ``count`` powers each."""
    return (out.sign() * relu(out.abs())).mul(count).pow(1.0 / norm_type)


def lp_pool1d(
    input: Tensor,
    norm_type: Union[int, float],
    kernel_size: int,
    stride: Optional[BroadcastingList1[int]] = None,
    ceil_mode: bool = False,
) -> Tensor:
    """Power means over windows, up to a factor."""
    _refuse_zero_norm(norm_type)
    if norm_type == torch.inf:
        return max_pool1d(input.abs(), kernel_size, stride, 0, 1, ceil_mode)
    if norm_type == -torch.inf:
        return -max_pool1d(-input.abs(), kernel_size, stride, 0, 1, ceil_mode)
    out = torch.avg_pool1d(input.pow(norm_type), kernel_size, _steps(stride), 0, ceil_mode)
    return _roots(out, kernel_size, norm_type)


def lp_pool2d(
    input: Tensor,
    norm_type: Union[int, float],
    kernel_size: BroadcastingList2[int],
    stride: Optional[BroadcastingList2[int]] = None,
    ceil_mode: bool = False,
) -> Tensor:
    """Power means over windows, up to a factor."""
    if not torch.jit.is_scripting():
        kernel_size = repeated(kernel_size, 2)
    height, width = kernel_size
    _refuse_zero_norm(norm_type)
    if norm_type == torch.inf:
        return max_pool2d(input.abs(), kernel_size, stride, 0, 1, ceil_mode)
    if norm_type == -torch.inf:
        return -max_pool2d(-input.abs(), kernel_size, stride, 0, 1, ceil_mode)
    out = torch._C._nn.avg_pool2d(input.pow(norm_type), kernel_size, _steps(stride), 0, ceil_mode)
    return _roots(out, height * width, norm_type)


def lp_pool3d(
    input: Tensor,
    norm_type: Union[int, float],
    kernel_size: BroadcastingList3[int],
    stride: Optional[BroadcastingList3[int]] = None,
    ceil_mode: bool = False,
) -> Tensor:
    """Power means over windows, up to a factor."""
    if not torch.jit.is_scripting():
        kernel_size = repeated(kernel_size, 3)
    depth, height, width = kernel_size
    _refuse_zero_norm(norm_type)
    if norm_type == torch.inf:
        return max_pool3d(input.abs(), kernel_size, stride, 0, 1, ceil_mode)
    if norm_type == -torch.inf:
        return -max_pool3d(-input.abs(), kernel_size, stride, 0, 1, ceil_mode)
    out = torch._C._nn.avg_pool3d(input.pow(norm_type), kernel_size, _steps(stride), 0, ceil_mode)
    return _roots(out, depth * height * width, norm_type)


publish(globals(), "torch.nn.functional")
