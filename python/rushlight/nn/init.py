"""``torch.nn.init``: filling tensors with initial values. Everything here runs without recording gradients."""

import functools
import math
import warnings
from typing import Optional, Tuple

import rushlight as torch

from .._library import publish
from .._rushlight import Tensor

_ONE = ("linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "sigmoid")


def _in_place(fill):
    """A filler that records no gradient and returns the tensor it was given."""

    @functools.wraps(fill)
    def wrapper(tensor, *args, **kwargs):
        with torch.no_grad():
            fill(tensor, *args, **kwargs)
        return tensor

    return wrapper


def calculate_gain(nonlinearity, param=None):
    """How much a nonlinearity shrinks the spread of its input."""
    if nonlinearity in _ONE:
        return 1
    if nonlinearity == "tanh":
        return 5.0 / 3
    if nonlinearity == "relu":
        return math.sqrt(2.0)
    if nonlinearity == "leaky_relu":
        if param is None:
            negative_slope = 0.01
        elif isinstance(param, (int, float)) and not isinstance(param, bool):
            negative_slope = param
        else:
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + negative_slope**2))
    if nonlinearity == "selu":
        return 3.0 / 4
    raise ValueError(f"Unsupported nonlinearity {nonlinearity}")


# Scripts may call the following functions, which is why they say their types.


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Optional[torch.Generator] = None) -> Tensor:
    """Values evenly from ``a`` to ``b``."""
    with torch.no_grad():
        return tensor.uniform_(a, b, generator=generator)


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Optional[torch.Generator] = None) -> Tensor:
    """Values from a normal distribution."""
    with torch.no_grad():
        return tensor.normal_(mean, std, generator=generator)


def constant_(tensor: Tensor, val: float) -> Tensor:
    """One value everywhere."""
    with torch.no_grad():
        return tensor.fill_(val)


def ones_(tensor: Tensor) -> Tensor:
    """One everywhere."""
    with torch.no_grad():
        return tensor.fill_(1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """Zero everywhere."""
    with torch.no_grad():
        return tensor.zero_()


# Other names of the same, by which programs fill tensors, too.


def _no_grad_uniform_(tensor, a, b, generator=None):
    return uniform_(tensor, a, b, generator)


def _no_grad_normal_(tensor, mean, std, generator=None):
    return normal_(tensor, mean, std, generator)


def _no_grad_fill_(tensor, val):
    return constant_(tensor, val)


def _no_grad_zero_(tensor):
    return zeros_(tensor)


def _no_grad_trunc_normal_(tensor, mean, std, a, b, generator=None):
    return trunc_normal_(tensor, mean, std, a, b, generator)


@_in_place
def trunc_normal_(tensor, mean=0.0, std=1.0, a=-2.0, b=2.0, generator=None):
    """Values from a normal distribution cut off at ``a`` and ``b``."""
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may be incorrect.",
            stacklevel=3,
        )
    low, high = (a - mean) / std, (b - mean) / std
    if _normal_cdf(high) - _normal_cdf(low) > 0.3:
        _redraw_until_inside(tensor, mean, std, a, b, generator)
    else:
        _accept_by_density(tensor, mean, std, a, b, generator)


def _normal_cdf(x):
    return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0


def _redraw_until_inside(tensor, mean, std, a, b, generator):
    """Normal values; those outside the range are drawn again, with all others, until none is left."""
    tensor.normal_(mean, std, generator=generator)
    outside = (tensor < a) | (tensor > b)
    while outside.any():
        tensor.copy_(torch.where(outside, torch.empty_like(tensor).normal_(mean, std, generator=generator), tensor))
        outside = (tensor < a) | (tensor > b)


def _accept_by_density(tensor, mean, std, a, b, generator):
    """Even values from a range that holds little of the distribution, each kept as often as its density says."""
    nearest = min(max(0.0, (a - mean) / std), (b - mean) / std)

    def draw():
        values = torch.empty_like(tensor).uniform_(a, b, generator=generator)
        chance = torch.empty_like(tensor).uniform_(generator=generator)
        scaled = (values - mean) / std
        return values, chance <= torch.exp((nearest * nearest - scaled * scaled) / 2)

    values, kept = draw()
    while not kept.all():
        again, accepted = draw()
        values = torch.where(accepted & ~kept, again, values)
        kept = kept | accepted
    tensor.copy_(values)


@_in_place
def eye_(tensor):
    """The identity matrix."""
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    tensor.zero_()
    tensor.diagonal().fill_(1.0)
    return tensor


@_in_place
def dirac_(tensor, groups=1):
    """Kernels that give each channel back unchanged."""
    dimensions = tensor.dim()
    if dimensions not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    sizes = tensor.size()
    if sizes[0] % groups != 0:
        raise ValueError("dim 0 must be divisible by groups")
    channels = sizes[0] // groups
    centre = tuple(n // 2 for n in sizes[2:])
    tensor.zero_()
    for group in range(groups):
        for d in range(min(channels, sizes[1])):
            tensor[(group * channels + d, d, *centre)] = 1


def _calculate_fan_in_and_fan_out(tensor: Tensor) -> Tuple[int, int]:
    """How many inputs each output sees, and how many outputs see each input."""
    if tensor.dim() < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    field = 1
    for size in tensor.shape[2:]:
        field *= size
    return tensor.size(1) * field, tensor.size(0) * field


def _calculate_correct_fan(tensor, mode):
    mode = mode.lower()
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    return fan_in if mode == "fan_in" else fan_out


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Optional[torch.Generator] = None) -> Tensor:
    """Even values whose spread keeps variance in both directions."""
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    std = gain * math.sqrt(2.0 / float(fan_in + fan_out))
    bound = math.sqrt(3.0) * std
    with torch.no_grad():
        return tensor.uniform_(-bound, bound, generator=generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Optional[torch.Generator] = None) -> Tensor:
    """Normal values whose spread keeps variance in both directions."""
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    std = gain * math.sqrt(2.0 / float(fan_in + fan_out))
    with torch.no_grad():
        return tensor.normal_(0.0, std, generator=generator)


def _is_empty(tensor):
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=4)
        return True
    return False


@_in_place
def kaiming_uniform_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    """Even values whose spread keeps variance through layers with a nonlinearity."""
    if _is_empty(tensor):
        return
    std = calculate_gain(nonlinearity, a) / math.sqrt(_calculate_correct_fan(tensor, mode))
    bound = math.sqrt(3.0) * std
    tensor.uniform_(-bound, bound, generator=generator)


@_in_place
def kaiming_normal_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    """Normal values whose spread keeps variance through layers with a nonlinearity."""
    if _is_empty(tensor):
        return
    std = calculate_gain(nonlinearity, a) / math.sqrt(_calculate_correct_fan(tensor, mode))
    tensor.normal_(0, std, generator=generator)


@_in_place
def orthogonal_(tensor, gain=1, generator=None):
    """An orthogonal matrix over the flattened trailing dimensions."""
    if tensor.dim() < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0:
        return
    rows = tensor.size(0)
    columns = tensor.numel() // rows
    flattened = torch.empty(rows, columns, dtype=tensor.dtype).normal_(0, 1, generator=generator)
    if rows < columns:
        flattened.t_()
    q, r = torch.linalg.qr(flattened)
    # The signs of the diagonal make the result evenly distributed.
    q *= torch.diag(r, 0).sign()
    if rows < columns:
        q.t_()
    tensor.view_as(q).copy_(q)
    tensor.mul_(gain)


@_in_place
def sparse_(tensor, sparsity, std=0.01, generator=None):
    """Normal values, a part of each column set to zero."""
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, columns = tensor.shape
    zeros = math.ceil(sparsity * rows)
    tensor.normal_(0, std, generator=generator)
    for column in range(columns):
        indices = torch.randperm(rows)[:zeros]
        tensor[indices, column] = 0


def _deprecated(fill):
    new, old = fill.__name__, fill.__name__[:-1]

    def wrapper(*args, **kwargs):
        warnings.warn(f"`nn.init.{old}` is now deprecated in favor of `nn.init.{new}`.", FutureWarning, stacklevel=2)
        return fill(*args, **kwargs)

    wrapper.__name__ = wrapper.__qualname__ = old
    return wrapper


uniform = _deprecated(uniform_)
normal = _deprecated(normal_)
constant = _deprecated(constant_)
eye = _deprecated(eye_)
dirac = _deprecated(dirac_)
xavier_uniform = _deprecated(xavier_uniform_)
xavier_normal = _deprecated(xavier_normal_)
kaiming_uniform = _deprecated(kaiming_uniform_)
kaiming_normal = _deprecated(kaiming_normal_)
orthogonal = _deprecated(orthogonal_)
sparse = _deprecated(sparse_)

publish(globals())
