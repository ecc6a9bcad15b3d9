"""Normalisation: over batches, instances, layers, groups, neighbouring channels, and to unit length."""

from typing import List, Optional

import rushlight as torch

from ..._library import publish
from ..._rushlight import Tensor
from ._resize import pad


def _product(sizes: List[int]) -> int:
    count = 1
    for size in sizes:
        count *= size
    return count


def _refuse_single_values(size: List[int]) -> None:
    """A single value for a channel has no variance."""
    # Programs list the operators of this in what they export.
    count = size[0]
    for i in range(len(size) - 2):
        count *= size[i + 2]
    if count == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {size}")


def _refuse_single_places(size: List[int]) -> None:
    """A single place in space has no variance."""
    if _product(size[2:]) == 1:
        raise ValueError(f"Expected more than 1 spatial element when training, got input size {size}")


def batch_norm(
    input: Tensor,
    running_mean: Optional[Tensor],
    running_var: Optional[Tensor],
    weight: Optional[Tensor] = None,
    bias: Optional[Tensor] = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Channels normalised by statistics of the batch, or by the running ones when not training."""
    if training:
        _refuse_single_values(input.size())
        if not torch.jit.is_scripting():
            if (running_mean is None) != (running_var is None):
                raise ValueError("running_mean and running_var must either both be None or neither be None")
        if eps <= 0.0:
            raise ValueError(f"batch_norm eps must be positive during training, but got {eps}")
    if eps < 0.0:
        raise ValueError(f"batch_norm eps must be non-negative, but got {eps}")
    return torch.batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, True)


def instance_norm(
    input: Tensor,
    running_mean: Optional[Tensor] = None,
    running_var: Optional[Tensor] = None,
    weight: Optional[Tensor] = None,
    bias: Optional[Tensor] = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Channels of each instance normalised by their own statistics, or by the running ones."""
    if use_input_stats:
        _refuse_single_places(input.size())
    return torch.instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, True)


def layer_norm(
    input: Tensor,
    normalized_shape: List[int],
    weight: Optional[Tensor] = None,
    bias: Optional[Tensor] = None,
    eps: float = 1e-5,
) -> Tensor:
    """The last dimensions normalised to mean 0 and variance 1."""
    return torch.layer_norm(input, normalized_shape, weight, bias, eps)


def rms_norm(
    input: Tensor, normalized_shape: List[int], weight: Optional[Tensor] = None, eps: Optional[float] = None
) -> Tensor:
    """The last dimensions divided by their root mean square."""
    return torch.rms_norm(input, normalized_shape, weight, eps)


def group_norm(
    input: Tensor, num_groups: int, weight: Optional[Tensor] = None, bias: Optional[Tensor] = None, eps: float = 1e-5
) -> Tensor:
    """Groups of channels normalised to mean 0 and variance 1."""
    if input.dim() < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {input.dim()}")
    in_group = input.size(0) * input.size(1) // num_groups
    _refuse_single_values([in_group, num_groups] + list(input.size()[2:]))
    return torch.group_norm(input, num_groups, weight, bias, eps)


def local_response_norm(input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Tensor:
    """Elements divided by a power of the mean square over neighbouring channels."""
    if input.dim() < 3:
        raise ValueError(
            f"Expected 3D or higher dimensionality                          input (got {input.dim()} dimensions)"
        )
    if input.numel() == 0:
        return input
    div = input.mul(input)
    if input.dim() == 3:
        # As pictures with channels for rows.
        div = pad(div.unsqueeze(1), [0, 0, size // 2, (size - 1) // 2])
        div = torch._C._nn.avg_pool2d(div, (size, 1), stride=1).squeeze(1)
    else:
        # As volumes with channels for depth: an average over channels is one over planes.
        sizes = input.size()
        div = pad(div.view(sizes[0], 1, sizes[1], sizes[2], -1), [0, 0, 0, 0, size // 2, (size - 1) // 2])
        div = torch._C._nn.avg_pool3d(div, (size, 1, 1), stride=1).squeeze(1)
        div = div.view(sizes)
    div = div.mul(alpha).add(k).pow(beta)
    return input / div


def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12, out: Optional[Tensor] = None) -> Tensor:
    """Vectors along a dimension divided by their length."""
    if out is None:
        denom = input.norm(p, dim, keepdim=True).clamp_min(eps).expand_as(input)
        return input / denom
    denom = input.norm(p, dim, keepdim=True).clamp_min_(eps).expand_as(input)
    return torch.div(input, denom, out=out)


publish(globals(), "torch.nn.functional")
