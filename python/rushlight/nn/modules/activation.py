"""Activations of single elements and along one dimension. Attention is in its own file and has its home here."""

import warnings
from typing import Optional

import rushlight as torch

from ..._library import publish
from ..._rushlight import Tensor
from .. import functional as F
from ..parameter import Parameter
from .module import Module

__all__ = [
    "CELU", "ELU", "GELU", "GLU", "Hardshrink", "Hardsigmoid", "Hardswish", "Hardtanh", "LeakyReLU", "LogSigmoid",
    "LogSoftmax", "Mish", "MultiheadAttention", "PReLU", "RReLU", "ReLU", "ReLU6", "SELU", "SiLU", "Sigmoid", "Softmax",
    "Softmax2d", "Softmin", "Softplus", "Softshrink", "Softsign", "Tanh", "Tanhshrink", "Threshold",
]


def _inplace(module, before=""):
    """``inplace=True`` where it holds, after what comes before."""
    if not module.inplace:
        return before
    return f"{before}, inplace=True" if before else "inplace=True"


def _arg_requires_grad(x: Optional[Tensor]) -> bool:
    return x is not None and x.requires_grad


class Threshold(Module):
    """``x`` above the threshold, the value elsewhere."""

    __constants__ = ["threshold", "value", "inplace"]
    threshold: float
    value: float
    inplace: bool

    def __init__(self, threshold, value, inplace=False):
        super().__init__()
        self.threshold = threshold
        self.value = value
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The layer's result."""
        return F.threshold(input, self.threshold, self.value, self.inplace)

    def extra_repr(self):
        return _inplace(self, f"threshold={self.threshold}, value={self.value}")


class ReLU(Module):
    """``max(x, 0)``."""

    __constants__ = ["inplace"]
    inplace: bool

    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The layer's result."""
        return F.relu(input, inplace=self.inplace)

    def extra_repr(self):
        return _inplace(self)


class RReLU(Module):
    """A leaky rectifier with random slopes while training."""

    __constants__ = ["lower", "upper", "inplace"]
    lower: float
    upper: float
    inplace: bool

    def __init__(self, lower=1.0 / 8, upper=1.0 / 3, inplace=False):
        super().__init__()
        self.lower = lower
        self.upper = upper
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The layer's result."""
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self):
        return _inplace(self, f"lower={self.lower}, upper={self.upper}")


def _renamed(old, new, value):
    """The value of an argument under its old name, with a warning at the caller of the constructor."""
    warnings.warn(f"keyword argument `{old}` is deprecated and renamed to `{new}`", FutureWarning, stacklevel=3)
    return value


class Hardtanh(Module):
    """Elements limited to a range."""

    __constants__ = ["min_val", "max_val", "inplace"]
    min_val: float
    max_val: float
    inplace: bool

    def __init__(self, min_val=-1.0, max_val=1.0, inplace=False, min_value=None, max_value=None):
        super().__init__()
        if min_value is not None:
            min_val = _renamed("min_value", "min_val", min_value)
        if max_value is not None:
            max_val = _renamed("max_value", "max_val", max_value)
        self.min_val = min_val
        self.max_val = max_val
        self.inplace = inplace
        assert not self.max_val <= self.min_val, f"max_val ({max_val}) must be greater than min_val ({min_val})"

    def forward(self, input: Tensor) -> Tensor:
        """The layer's result."""
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)

    def extra_repr(self):
        return _inplace(self, f"min_val={self.min_val}, max_val={self.max_val}")


class ReLU6(Hardtanh):
    """``min(max(x, 0), 6)``."""

    def __init__(self, inplace=False):
        super().__init__(0.0, 6.0, inplace)

    def extra_repr(self):
        return _inplace(self)


class Sigmoid(Module):
    """``1 / (1 + exp(-x))``."""

    def forward(self, input: Tensor) -> Tensor:
        """The layer's result."""
        return torch.sigmoid(input)


class Hardsigmoid(Module):
    """``relu6(x + 3) / 6``."""

    __constants__ = ["inplace"]
    inplace: bool

    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The layer's result."""
        return F.hardsigmoid(input, self.inplace)


class Tanh(Module):
    """The hyperbolic tangent."""

    def forward(self, input: Tensor) -> Tensor:
        """The layer's result."""
        return torch.tanh(input)


class SiLU(Module):
    """``x sigmoid(x)``."""

    __constants__ = ["inplace"]
    inplace: bool

    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The layer's result."""
        return F.silu(input, inplace=self.inplace)

    def extra_repr(self):
        return _inplace(self)


class Mish(Module):
    """``x tanh(softplus(x))``."""

    __constants__ = ["inplace"]
    inplace: bool

    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The layer's result."""
        return F.mish(input, inplace=self.inplace)

    def extra_repr(self):
        return _inplace(self)


class Hardswish(Module):
    """``x relu6(x + 3) / 6``."""

    __constants__ = ["inplace"]
    inplace: bool

    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The layer's result."""
        return F.hardswish(input, self.inplace)


class ELU(Module):
    """``x`` above zero, ``alpha (exp(x) - 1)`` below."""

    __constants__ = ["alpha", "inplace"]
    alpha: float
    inplace: bool

    def __init__(self, alpha=1.0, inplace=False):
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The layer's result."""
        return F.elu(input, self.alpha, self.inplace)

    def extra_repr(self):
        return _inplace(self, f"alpha={self.alpha}")


class CELU(Module):
    """``elu`` that is smooth for every ``alpha``."""

    __constants__ = ["alpha", "inplace"]
    alpha: float
    inplace: bool

    def __init__(self, alpha=1.0, inplace=False):
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The layer's result."""
        return F.celu(input, self.alpha, self.inplace)

    def extra_repr(self):
        return _inplace(self, f"alpha={self.alpha}")


class SELU(Module):
    """``elu`` with the scale and slope that keep mean and variance."""

    __constants__ = ["inplace"]
    inplace: bool

    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The layer's result."""
        return F.selu(input, self.inplace)

    def extra_repr(self):
        return _inplace(self)


class GLU(Module):
    """One half of the input gated by the sigmoid of the other half."""

    __constants__ = ["dim"]
    dim: int

    def __init__(self, dim=-1):
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """The layer's result."""
        return F.glu(input, self.dim)

    def extra_repr(self):
        return f"dim={self.dim}"


class GELU(Module):
    """``x`` times the normal distribution function, or its approximation by ``tanh``."""

    __constants__ = ["approximate"]
    approximate: str

    def __init__(self, approximate="none"):
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Tensor) -> Tensor:
        """The layer's result."""
        return F.gelu(input, approximate=self.approximate)

    def extra_repr(self):
        return f"approximate={self.approximate!r}"


class Hardshrink(Module):
    """Zero up to ``lambd`` on both sides, ``x`` beyond."""

    __constants__ = ["lambd"]
    lambd: float

    def __init__(self, lambd=0.5):
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Tensor) -> Tensor:
        """The layer's result."""
        return F.hardshrink(input, self.lambd)

    def extra_repr(self):
        return f"{self.lambd}"


class LeakyReLU(Module):
    """``x`` above zero, ``negative_slope x`` below."""

    __constants__ = ["inplace", "negative_slope"]
    inplace: bool
    negative_slope: float

    def __init__(self, negative_slope=1e-2, inplace=False):
        super().__init__()
        self.negative_slope = negative_slope
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The layer's result."""
        return F.leaky_relu(input, self.negative_slope, self.inplace)

    def extra_repr(self):
        return _inplace(self, f"negative_slope={self.negative_slope}")


class LogSigmoid(Module):
    """The logarithm of the sigmoid."""

    def forward(self, input: Tensor) -> Tensor:
        """The layer's result."""
        return F.logsigmoid(input)


class Softplus(Module):
    """``log(1 + exp(beta x)) / beta``, linear above the threshold."""

    __constants__ = ["beta", "threshold"]
    beta: float
    threshold: float

    def __init__(self, beta=1.0, threshold=20.0):
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input: Tensor) -> Tensor:
        """The layer's result."""
        return F.softplus(input, self.beta, self.threshold)

    def extra_repr(self):
        return f"beta={self.beta}, threshold={self.threshold}"


class Softshrink(Module):
    """Elements moved by ``lambd`` towards zero."""

    __constants__ = ["lambd"]
    lambd: float

    def __init__(self, lambd=0.5):
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Tensor) -> Tensor:
        """The layer's result."""
        return F.softshrink(input, self.lambd)

    def extra_repr(self):
        return f"{self.lambd}"


class PReLU(Module):
    """A leaky rectifier whose slopes are trained."""

    __constants__ = ["num_parameters"]
    num_parameters: int

    def __init__(self, num_parameters=1, init=0.25, device=None, dtype=None):
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.weight = Parameter(torch.empty(num_parameters, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self):
        """Fills the slopes with their initial value."""
        torch.nn.init.constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        """The layer's result."""
        return F.prelu(input, self.weight)

    def extra_repr(self):
        return f"num_parameters={self.num_parameters}"


class Softsign(Module):
    """``x / (1 + |x|)``."""

    def forward(self, input: Tensor) -> Tensor:
        """The layer's result."""
        return F.softsign(input)


class Tanhshrink(Module):
    """``x - tanh(x)``."""

    def forward(self, input: Tensor) -> Tensor:
        """The layer's result."""
        return F.tanhshrink(input)


class Softmin(Module):
    """``softmax`` of the negated input."""

    __constants__ = ["dim"]
    dim: Optional[int]

    def __init__(self, dim=None):
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """The layer's result."""
        return F.softmin(input, self.dim, _stacklevel=5)

    def extra_repr(self):
        return f"dim={self.dim}"


def _check_dim(dim):
    """Refuses what is no number of a dimension."""
    if dim is not None and (not isinstance(dim, int) or isinstance(dim, bool)):
        raise TypeError(f"dim must be an int or None, got {type(dim)}")


class Softmax(Module):
    """Exponentials divided by their sum along a dimension."""

    __constants__ = ["dim"]
    dim: Optional[int]

    def __init__(self, dim=None):
        super().__init__()
        _check_dim(dim)
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """The layer's result."""
        return F.softmax(input, self.dim, _stacklevel=5)

    def extra_repr(self):
        return f"dim={self.dim}"


class Softmax2d(Module):
    """``softmax`` over the channels of each pixel."""

    def forward(self, input: Tensor) -> Tensor:
        """The layer's result."""
        if input.dim() not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead")
        return F.softmax(input, -3, _stacklevel=5)


class LogSoftmax(Module):
    """The logarithm of ``softmax``."""

    __constants__ = ["dim"]
    dim: Optional[int]

    def __init__(self, dim=None):
        super().__init__()
        _check_dim(dim)
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """The layer's result."""
        return F.log_softmax(input, self.dim, _stacklevel=5)

    def extra_repr(self):
        return f"dim={self.dim}"


publish(globals())

from ._attention import MultiheadAttention  # noqa: E402
