"""``torch.signal.windows``: windows of ``M`` elements, symmetric ones or one period of periodic ones (``sym=False``)."""

import math

import rushlight as torch

__all__ = [
    "bartlett", "blackman", "cosine", "exponential", "gaussian", "general_cosine", "general_hamming", "hamming", "hann", "kaiser", "nuttall",
]


def _steps(name, M, sym, options):
    """The places of the elements, 0 to M - 1, and the span of the window; None for places where the window is trivial."""
    dtype = options.get("dtype") or torch.get_default_dtype()
    if M < 0:
        raise ValueError(f"{name} requires non-negative window length, got M={M}")
    if options.pop("layout", torch.strided) != torch.strided:
        raise ValueError(f"{name} is implemented for strided tensors only")
    if dtype not in (torch.float32, torch.float64):
        raise ValueError(f"{name} expects float32 or float64 dtypes, got: {dtype}")
    options["dtype"] = dtype
    return torch.arange(M, dtype=dtype), (M - 1 if sym else M)


def _made(window, options):
    return window.to(options["dtype"]).requires_grad_(bool(options.get("requires_grad")))


def _options(dtype, layout, device, requires_grad):
    return {"dtype": dtype, "layout": layout, "requires_grad": requires_grad}


def general_cosine(M, *, a, sym=True, dtype=None, layout=torch.strided, device=None, requires_grad=False):
    """A sum of cosines of 0, 1, 2, ... periods with the weights ``a``, of signs that alternate."""
    return _cosines("general_cosine", M, a, sym, _options(dtype, layout, device, requires_grad))


def _cosines(name, M, a, sym, options):
    n, span = _steps(name, M, sym, options)
    if not hasattr(a, "__iter__"):
        raise TypeError("Coefficients must be a list/tuple")
    if not a:
        raise ValueError("Coefficients cannot be empty")
    if M <= 1:
        return _made(torch.ones(M), options)
    angle = 2 * math.pi * n / span
    return _made(sum((-1) ** k * weight * torch.cos(k * angle) for k, weight in enumerate(a)), options)


def general_hamming(M, *, alpha=0.54, sym=True, dtype=None, layout=torch.strided, device=None, requires_grad=False):
    """``alpha`` less one cosine of ``1 - alpha``."""
    return general_cosine(M, a=[alpha, 1.0 - alpha], sym=sym, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad)


def hamming(M, *, sym=True, dtype=None, layout=torch.strided, device=None, requires_grad=False):
    """Hamming's window."""
    return general_hamming(M, sym=sym, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad)


def hann(M, *, sym=True, dtype=None, layout=torch.strided, device=None, requires_grad=False):
    """Hann's window."""
    return general_hamming(M, alpha=0.5, sym=sym, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad)


def blackman(M, *, sym=True, dtype=None, layout=torch.strided, device=None, requires_grad=False):
    """Blackman's window."""
    return _cosines("blackman", M, [0.42, 0.5, 0.08], sym, _options(dtype, layout, device, requires_grad))


def nuttall(M, *, sym=True, dtype=None, layout=torch.strided, device=None, requires_grad=False):
    """Nuttall's window of four terms."""
    weights = [0.3635819, 0.4891775, 0.1365995, 0.0106411]
    return general_cosine(M, a=weights, sym=sym, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad)


def bartlett(M, *, sym=True, dtype=None, layout=torch.strided, device=None, requires_grad=False):
    """A triangle."""
    options = _options(dtype, layout, device, requires_grad)
    n, span = _steps("bartlett", M, sym, options)
    return _made(torch.ones(M) if M <= 1 else 1 - (2 * n / span - 1).abs(), options)


def cosine(M, *, sym=True, dtype=None, layout=torch.strided, device=None, requires_grad=False):
    """Half a period of a sine, sampled in the middle of each place."""
    options = _options(dtype, layout, device, requires_grad)
    n, span = _steps("cosine", M, sym, options)
    return _made(torch.ones(M) if M <= 1 else torch.sin(math.pi * (n + 0.5) / (span + 1)), options)


def exponential(M, *, center=None, tau=1.0, sym=True, dtype=None, layout=torch.strided, device=None, requires_grad=False):
    """Falls from its centre by e every ``tau`` places."""
    options = _options(dtype, layout, device, requires_grad)
    n, span = _steps("exponential", M, sym, options)
    if tau <= 0:
        raise ValueError(f"Tau must be positive, got: {tau} instead.")
    if sym and center is not None:
        raise ValueError("Center must be None for symmetric windows")
    if M <= 1 and center is None:
        return _made(torch.ones(M), options)
    return _made(torch.exp(-(n - (span / 2 if center is None else center)).abs() / tau), options)


def gaussian(M, *, std=1.0, sym=True, dtype=None, layout=torch.strided, device=None, requires_grad=False):
    """A bell of a standard deviation around the middle."""
    options = _options(dtype, layout, device, requires_grad)
    n, span = _steps("gaussian", M, sym, options)
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std} instead.")
    if M <= 1:
        return _made(torch.ones(M), options)
    return _made(torch.exp(-(((n - span / 2) / std) ** 2) / 2), options)


def kaiser(M, *, beta=12.0, sym=True, dtype=None, layout=torch.strided, device=None, requires_grad=False):
    """Kaiser's window."""
    options = _options(dtype, layout, device, requires_grad)
    n, span = _steps("kaiser", M, sym, options)
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")
    if M <= 1:
        return _made(torch.ones(M), options)
    height = torch.tensor(float(beta), dtype=options["dtype"])
    across = beta * torch.sqrt((1 - (2 * n / span - 1) ** 2).clamp(min=0))
    return _made(torch.special.i0(across) / torch.special.i0(height), options)
