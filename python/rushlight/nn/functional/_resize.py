"""Changing sizes: padding, interpolation, sampling at grids, sliding blocks."""

import math
import warnings
from typing import List, Optional

import rushlight as torch

from ..._jit_internal import BroadcastingList2, _overload
from ..._library import publish
from ..._rushlight import Tensor
from ._pool import adaptive_avg_pool2d, adaptive_avg_pool3d


def pad(input: Tensor, pad: List[int], mode: str = "constant", value: Optional[float] = None) -> Tensor:
    """Values put around the last dimensions, or taken away from them where ``pad`` is negative."""
    return torch._C._nn.pad(input, pad, mode, value)


def fold(
    input: Tensor,
    output_size: BroadcastingList2[int],
    kernel_size: BroadcastingList2[int],
    dilation: BroadcastingList2[int] = 1,
    padding: BroadcastingList2[int] = 0,
    stride: BroadcastingList2[int] = 1,
) -> Tensor:
    """Sliding blocks added up into images."""
    return torch._C._nn.col2im(input, output_size, kernel_size, dilation, padding, stride)


def unfold(
    input: Tensor,
    kernel_size: BroadcastingList2[int],
    dilation: BroadcastingList2[int] = 1,
    padding: BroadcastingList2[int] = 0,
    stride: BroadcastingList2[int] = 1,
) -> Tensor:
    """The sliding blocks of images, as columns."""
    return torch._C._nn.im2col(input, kernel_size, dilation, padding, stride)


@_overload
def interpolate(
    input: Tensor,
    size: Optional[int] = None,
    scale_factor: Optional[List[float]] = None,
    mode: str = "nearest",
    align_corners: Optional[bool] = None,
    recompute_scale_factor: Optional[bool] = None,
    antialias: bool = False,
) -> Tensor:
    """Sizes: int, factors: List[float]."""


@_overload
def interpolate(
    input: Tensor,
    size: Optional[List[int]] = None,
    scale_factor: Optional[List[float]] = None,
    mode: str = "nearest",
    align_corners: Optional[bool] = None,
    recompute_scale_factor: Optional[bool] = None,
    antialias: bool = False,
) -> Tensor:
    """Sizes: List[int], factors: List[float]."""


@_overload
def interpolate(
    input: Tensor,
    size: Optional[int] = None,
    scale_factor: Optional[float] = None,
    mode: str = "nearest",
    align_corners: Optional[bool] = None,
    recompute_scale_factor: Optional[bool] = None,
    antialias: bool = False,
) -> Tensor:
    """Sizes: int, factors: float."""


@_overload
def interpolate(
    input: Tensor,
    size: Optional[List[int]] = None,
    scale_factor: Optional[float] = None,
    mode: str = "nearest",
    align_corners: Optional[bool] = None,
    recompute_scale_factor: Optional[bool] = None,
    antialias: bool = False,
) -> Tensor:
    """Sizes: List[int], factors: float."""


def interpolate(
    input: Tensor,
    size: Optional[int] = None,
    scale_factor: Optional[List[float]] = None,
    mode: str = "nearest",
    align_corners: Optional[bool] = None,
    recompute_scale_factor: Optional[bool] = None,
    antialias: bool = False,
) -> Tensor:
    """Resizes the spatial dimensions to sizes or by factors."""
    if mode in ("nearest", "area", "nearest-exact") and align_corners is not None:
        raise ValueError(
            "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear"
        )
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is None and scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    # What is given once holds for all dimensions.
    dims = input.dim() - 2
    sizes: Optional[List[int]] = None
    factors: Optional[List[float]] = None
    if size is not None:
        if isinstance(size, (list, tuple)):
            if len(size) != dims:
                _refuse_count(input, "output", f"output size of {size}", "output size in (o1, o2, ...,oK)")
            if not torch.jit.is_scripting():
                _refuse_other_sizes(size)
            sizes = size
        else:
            sizes = [size for _ in range(dims)]
    if scale_factor is not None:
        if isinstance(scale_factor, (list, tuple)):
            if len(scale_factor) != dims:
                _refuse_count(
                    input, "scale_factor", f"scale_factor of shape {scale_factor}", "scale_factor in (s1, s2, ...,sK)"
                )
            factors = scale_factor
        else:
            factors = [scale_factor for _ in range(dims)]
    recompute = recompute_scale_factor is not None and recompute_scale_factor
    if recompute and size is not None:
        raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
    if factors is not None and (recompute or mode == "area"):
        if not torch.jit.is_scripting() and torch.jit.is_tracing():
            sizes = _traced_sizes(input, factors)
        else:
            sizes = [math.floor(float(n) * factor) for n, factor in zip(input.shape[2:], factors)]
        factors = None
    if antialias and not (mode in ("bilinear", "bicubic", "lanczos") and input.dim() == 4):
        raise ValueError(
            "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D tensor as input"
        )
    corners = align_corners is not None and align_corners
    return _resampled(input, sizes, factors, mode, corners, antialias)


def _refuse_other_sizes(sizes):
    if not all(hasattr(n, "__index__") for n in sizes):
        raise TypeError(
            "expected size to be one of int or Tuple[int] or Tuple[int, int] or Tuple[int, int, int], "
            f"but got size with types {[type(n) for n in sizes]}"
        )


def _traced_sizes(input, factors):
    """The sizes that factors make, computed by operators, so that a trace holds for inputs of other sizes."""
    return [
        torch.floor((input.size(i + 2).float() * torch.tensor(factor, dtype=torch.float32)).float())
        for i, factor in enumerate(factors)
    ]


def _refuse_count(input: Tensor, what: str, given: str, form: str) -> None:
    """The error of sizes or factors that are not one for each spatial dimension."""
    raise ValueError(
        f"Input and {what} must have the same number of spatial dimensions, but got "
        f"input with spatial dimensions of {list(input.shape[2:])} and {given}. "
        f"Please provide input tensor in (N, C, d1, d2, ...,dK) format and {form} format."
    )


def _resampled(
    input: Tensor, sizes: Optional[List[int]], factors: Optional[List[float]], mode: str, corners: bool, antialias: bool
) -> Tensor:
    """The input at new sizes, by the operators of a mode.

    Modes are compared one by one: where the mode is known when a model is frozen, the others go.
    """
    rank = input.dim()
    if 3 <= rank <= 5:
        if mode == "nearest":
            return _nearest(input, sizes, factors)
        if mode == "nearest-exact":
            return _nearest_exact(input, sizes, factors)
        if mode == "area" and sizes is not None:
            return _averaged(input, sizes)
        needed = _rank_of_smooth(mode)
        if rank == needed:
            return _smooth(input, sizes, factors, mode, corners, antialias)
        if mode == "linear" or mode == "bilinear" or mode == "trilinear":
            raise NotImplementedError(f"Got {rank}D input, but {mode} mode needs {needed}D input")
    raise NotImplementedError(
        "Input Error: Only 3D, 4D and 5D input Tensors supported"
        f" (got {rank}D) for the modes: nearest | linear | bilinear | bicubic | trilinear | lanczos | area | nearest-exact"
        f" (got {mode})"
    )


def _nearest(input: Tensor, sizes: Optional[List[int]], factors: Optional[List[float]]) -> Tensor:
    """Each element from the one before the place that it comes from."""
    if input.dim() == 3:
        if not torch.jit.is_scripting() and factors is None:
            return torch._C._nn.upsample_nearest1d(input, sizes)
        return torch._C._nn.upsample_nearest1d(input, sizes, factors)
    if input.dim() == 4:
        return torch._C._nn.upsample_nearest2d(input, sizes, factors)
    return torch._C._nn.upsample_nearest3d(input, sizes, factors)


def _nearest_exact(input: Tensor, sizes: Optional[List[int]], factors: Optional[List[float]]) -> Tensor:
    """Each element from the one nearest to the place that it comes from."""
    if input.dim() == 3:
        if not torch.jit.is_scripting() and factors is None:
            return torch._C._nn._upsample_nearest_exact1d(input, sizes)
        return torch._C._nn._upsample_nearest_exact1d(input, sizes, factors)
    if input.dim() == 4:
        return torch._C._nn._upsample_nearest_exact2d(input, sizes, factors)
    return torch._C._nn._upsample_nearest_exact3d(input, sizes, factors)


def _averaged(input: Tensor, sizes: List[int]) -> Tensor:
    """Each element the mean of the area that it comes from."""
    if input.dim() == 3:
        return torch.adaptive_avg_pool1d(input, sizes)
    if input.dim() == 4:
        return adaptive_avg_pool2d(input, sizes)
    return adaptive_avg_pool3d(input, sizes)


def _rank_of_smooth(mode: str) -> int:
    """The number of dimensions that a mode with weights is for; 0 for other modes."""
    if mode == "linear":
        return 3
    if mode == "trilinear":
        return 5
    return 4 if mode == "bilinear" or mode == "bicubic" or mode == "lanczos" else 0


def _smooth(
    input: Tensor, sizes: Optional[List[int]], factors: Optional[List[float]], mode: str, corners: bool, antialias: bool
) -> Tensor:
    """Each element from those around the place that it comes from; the mode goes with the number of dimensions."""
    if mode == "linear":
        if not torch.jit.is_scripting() and factors is None:
            return torch._C._nn.upsample_linear1d(input, sizes, corners)
        return torch._C._nn.upsample_linear1d(input, sizes, corners, factors)
    if mode == "trilinear":
        return torch._C._nn.upsample_trilinear3d(input, sizes, corners, factors)
    if mode == "lanczos":
        if corners:
            raise ValueError("Lanczos mode does not support align_corners=True")
        if not antialias:
            raise ValueError("Lanczos mode requires antialias=True")
        return torch._C._nn._upsample_lanczos2d_aa(input, sizes, corners, factors)
    if mode == "bilinear":
        if antialias:
            return torch._C._nn._upsample_bilinear2d_aa(input, sizes, corners, factors)
        return torch._C._nn.upsample_bilinear2d(input, sizes, corners, factors)
    if antialias:
        return torch._C._nn._upsample_bicubic2d_aa(input, sizes, corners, factors)
    return torch._C._nn.upsample_bicubic2d(input, sizes, corners, factors)


@_overload
def upsample(
    input: Tensor,
    size: Optional[int] = None,
    scale_factor: Optional[float] = None,
    mode: str = "nearest",
    align_corners: Optional[bool] = None,
) -> Tensor:
    """Sizes: int, factors: float."""


@_overload
def upsample(
    input: Tensor,
    size: Optional[List[int]] = None,
    scale_factor: Optional[float] = None,
    mode: str = "nearest",
    align_corners: Optional[bool] = None,
) -> Tensor:
    """Sizes: List[int], factors: float."""


def upsample(input, size=None, scale_factor=None, mode="nearest", align_corners=None):
    """The old name of ``interpolate``."""
    warnings.warn("`nn.functional.upsample` is deprecated. Use `nn.functional.interpolate` instead.")
    return interpolate(input, size, scale_factor, mode, align_corners)


@_overload
def upsample_nearest(
    input: Tensor,
    size: Optional[int] = None,
    scale_factor: Optional[float] = None,
) -> Tensor:
    """Sizes: int, factors: float."""


@_overload
def upsample_nearest(
    input: Tensor,
    size: Optional[List[int]] = None,
    scale_factor: Optional[float] = None,
) -> Tensor:
    """Sizes: List[int], factors: float."""


def upsample_nearest(input, size=None, scale_factor=None):
    """The old name of ``interpolate`` in mode ``nearest``."""
    warnings.warn("`nn.functional.upsample_nearest` is deprecated. Use `nn.functional.interpolate` instead.")
    return interpolate(input, size, scale_factor, mode="nearest")


@_overload
def upsample_bilinear(
    input: Tensor,
    size: Optional[int] = None,
    scale_factor: Optional[float] = None,
) -> Tensor:
    """Sizes: int, factors: float."""


@_overload
def upsample_bilinear(
    input: Tensor,
    size: Optional[List[int]] = None,
    scale_factor: Optional[float] = None,
) -> Tensor:
    """Sizes: List[int], factors: float."""


@_overload
def upsample_bilinear(
    input: Tensor,
    size: Optional[int] = None,
    scale_factor: Optional[List[float]] = None,
) -> Tensor:
    """Sizes: int, factors: List[float]."""


@_overload
def upsample_bilinear(
    input: Tensor,
    size: Optional[List[int]] = None,
    scale_factor: Optional[List[float]] = None,
) -> Tensor:
    """Sizes: List[int], factors: List[float]."""


def upsample_bilinear(input, size=None, scale_factor=None):
    """The old name of ``interpolate`` in mode ``bilinear`` with aligned corners."""
    warnings.warn("`nn.functional.upsample_bilinear` is deprecated. Use `nn.functional.interpolate` instead.")
    return interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)


def _grid_corners(align_corners: Optional[bool]) -> bool:
    """Whether the ends of a grid are the centres of pixels: not, with a warning, where nothing is said."""
    if align_corners is not None:
        return align_corners
    warnings.warn(
        "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. "
        "Please specify align_corners=True if the old behavior is desired. "
        "See the documentation of grid_sample for details."
    )
    return False


def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: Optional[bool] = None,
) -> Tensor:
    """The input at the places that a grid says, from -1 to 1."""
    modes = {"bilinear": 0, "nearest": 1, "bicubic": 2}
    paddings = {"zeros": 0, "border": 1, "reflection": 2}
    if mode not in modes:
        raise ValueError(
            f"nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: '{mode}'"
        )
    if padding_mode not in paddings:
        raise ValueError(
            "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', "
            f"but got: '{padding_mode}'"
        )
    corners = _grid_corners(align_corners)
    return torch.grid_sampler(input, grid, modes[mode], paddings[padding_mode], corners)


def affine_grid(theta: Tensor, size: List[int], align_corners: Optional[bool] = None) -> Tensor:
    """The grid that an affine map takes a regular grid to."""
    corners = _grid_corners(align_corners)
    if not theta.is_floating_point():
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    n = len(size) - 2
    if n not in (2, 3):
        raise NotImplementedError(
            "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. "
            f"Got size {size}."
        )
    if theta.dim() != 3 or theta.size(1) != n or theta.size(2) != n + 1:
        raise ValueError(
            f"Expected a batch of {n}D affine matrices of shape Nx{n}x{n + 1} for size {size}. Got {theta.shape}."
        )
    if corners and min(size[2:]) == 1:
        warnings.warn(
            "Since version 1.3.0, affine_grid behavior has changed for unit-size grids when align_corners=True. "
            "This is not an intended use case of affine_grid. "
            "See the documentation of affine_grid for details."
        )
    elif min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {size}")
    return torch.affine_grid_generator(theta, size, corners)


publish(globals(), "torch.nn.functional")
