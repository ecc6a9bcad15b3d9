"""Functions of ``torch.functional`` that scripts call by name: they run eagerly and are compiled when a script calls them."""

from typing import List, Optional, Tuple

import rushlight as torch

from ._jit_internal import _overload
from ._library import publish
from ._rushlight import Tensor


@_overload
def norm(
    input: Tensor,
    p: str = "fro",
    dim: Optional[List[int]] = None,
    keepdim: bool = False,
    out: Optional[Tensor] = None,
    dtype: Optional[int] = None,
) -> Tensor:
    """By name, along several dimensions."""


@_overload
def norm(
    input: Tensor,
    p: "number",
    dim: Optional[List[int]] = None,
    keepdim: bool = False,
    out: Optional[Tensor] = None,
    dtype: Optional[int] = None,
) -> Tensor:
    """By order, along several dimensions."""


@_overload
def norm(
    input: Tensor,
    p: "number",
    dim: Optional[int] = None,
    keepdim: bool = False,
    out: Optional[Tensor] = None,
    dtype: Optional[int] = None,
) -> Tensor:
    """By order, along one dimension."""


@_overload
def norm(
    input: Tensor,
    p: str = "fro",
    dim: Optional[int] = None,
    keepdim: bool = False,
    out: Optional[Tensor] = None,
    dtype: Optional[int] = None,
) -> Tensor:
    """By name, along one dimension."""


def norm(input, p="fro", dim=None, keepdim=False, out=None, dtype=None):
    """The norm of vectors, or by name of matrices."""
    if not torch.jit.is_scripting():
        # What has no layout is no tensor.
        input.layout  # noqa: B018
    dims = _dimensions(dim)
    if isinstance(p, str):
        if p == "fro" and (dims is None or len(dims) <= 2):
            return _vector_norm(input, 2, dims, keepdim, out, dtype)
        if p != "fro" and p != "nuc":
            raise RuntimeError(f"linalg.matrix_norm: Order {p} not supported.")
        over = dims if dims is not None else [i for i in range(input.dim())]
        if out is not None:
            return torch.linalg.matrix_norm(input, p, over, keepdim, dtype=dtype, out=out)
        return torch.linalg.matrix_norm(input, p, over, keepdim, dtype=dtype)
    else:
        return _vector_norm(input, 2 if p is None else p, dims, keepdim, out, dtype)


@_overload
def _dimensions(dim: Optional[int]) -> Optional[List[int]]:
    """One dimension or all."""


@_overload
def _dimensions(dim: Optional[List[int]]) -> Optional[List[int]]:
    """Several dimensions or all."""


def _dimensions(dim):
    if dim is None:
        return None
    if isinstance(dim, int):
        return [dim]
    return dim


def _vector_norm(
    input: Tensor,
    order: "number",
    dims: Optional[List[int]],
    keepdim: bool,
    out: Optional[Tensor],
    dtype: Optional[int],
) -> Tensor:
    if out is not None:
        return torch.linalg.vector_norm(input, order, dims, keepdim, dtype=dtype, out=out)
    return torch.linalg.vector_norm(input, order, dims, keepdim, dtype=dtype)


def cdist(
    x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: str = "use_mm_for_euclid_dist_if_necessary"
) -> Tensor:
    """The distance of each row of one batch from each row of another."""
    modes = {
        "use_mm_for_euclid_dist_if_necessary": 0,
        "use_mm_for_euclid_dist": 1,
        "donot_use_mm_for_euclid_dist": 2,
    }
    if compute_mode not in modes:
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode")
    mode = modes[compute_mode]
    return torch._VF.cdist(x1, x2, p, None if mode == 0 else mode)


@_overload
def tensordot(a: Tensor, b: Tensor, dims: int = 2, out: Optional[Tensor] = None) -> Tensor:
    """Over a number of neighbouring dimensions."""


@_overload
def tensordot(a: Tensor, b: Tensor, dims: Tuple[List[int], List[int]], out: Optional[Tensor] = None) -> Tensor:
    """Over the dimensions that two lists name."""


@_overload
def tensordot(a: Tensor, b: Tensor, dims: List[List[int]], out: Optional[Tensor] = None) -> Tensor:
    """Over the dimensions that two lists in a list name."""


@_overload
def tensordot(a: Tensor, b: Tensor, dims: Tensor, out: Optional[Tensor] = None) -> Tensor:
    """Over the dimensions that a tensor names."""


def tensordot(a, b, dims=2, out=None):
    """Sums of products over a number of neighbouring dimensions, or over those that two lists name."""
    of_a: List[int] = []
    of_b: List[int] = []
    if isinstance(dims, Tensor):
        if dims.numel() == 1:
            of_a, of_b = _neighbours(int(dims), a.dim(), b.dim())
        else:
            of_a, of_b = [int(d) for d in dims[0]], [int(d) for d in dims[1]]
    elif isinstance(dims, int):
        of_a, of_b = _neighbours(dims, a.dim(), b.dim())
    elif torch.jit.is_scripting():
        of_a, of_b = dims[0], dims[1]
    else:
        of_a, of_b = ([each] if isinstance(each, int) else list(each) for each in dims)
    if not torch.jit.is_scripting():
        if not torch.jit.is_tracing():
            _check_contracted(a, b, of_a, of_b)
    if out is not None:
        return torch._VF.tensordot(a, b, of_a, of_b, out=out)
    return torch._VF.tensordot(a, b, of_a, of_b)


def _check_contracted(a, b, of_a, of_b):
    """Sizes that differ are shown with the dimensions as they were given."""
    if not isinstance(a, Tensor) or not isinstance(b, Tensor) or len(of_a) != len(of_b):
        return
    if any(not -t.dim() <= d < t.dim() for t, given in ((a, of_a), (b, of_b)) for d in given):
        return
    for x, y in zip(of_a, of_b):
        m, n = a.size(x), b.size(y)
        if m != n and m != 1 and n != 1:
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {m} in dim {x} and second has size {n} in dim {y}"
            )
    for t, given in ((a, of_a), (b, of_b)):
        known = set()
        for d in given:
            d %= t.dim()
            if d in known:
                raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
            known.add(d)


def _neighbours(count: int, rank_a: int, rank_b: int) -> Tuple[List[int], List[int]]:
    """The last dimensions of one tensor and the first of another."""
    if count < 0:
        raise RuntimeError(f"tensordot expects dims >= 0, but got dims={count}")
    if count > min(rank_a, rank_b):
        raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={count}")
    return [i for i in range(-count, 0)], [i for i in range(count)]


def stft(
    input: Tensor,
    n_fft: int,
    hop_length: Optional[int] = None,
    win_length: Optional[int] = None,
    window: Optional[Tensor] = None,
    center: bool = True,
    pad_mode: str = "reflect",
    normalized: bool = False,
    onesided: Optional[bool] = None,
    return_complex: Optional[bool] = None,
    align_to_window: Optional[bool] = None,
) -> Tensor:
    """Fourier transforms of a window that slides over a signal."""
    if center:
        if align_to_window is not None:
            raise RuntimeError("stft align_to_window should only be set when center = false")
        missing = 3 - input.dim()
        whole = [1 for _ in range(missing)] + [n for n in input.size()]
        input = torch.nn.functional.pad(input.view(whole), [n_fft // 2, n_fft // 2], pad_mode)
        input = input.view(input.size()[missing:])
    return torch._VF.stft(
        input, n_fft, hop_length, win_length, window, normalized, onesided, return_complex, align_to_window
    )


publish(globals(), "torch.functional")
