"""``torch.functional``: functions whose arguments or results say which operator is meant. Other names are operators.

They are for Python; a script that names them gets the operator of that name.
"""

from . import _rushlight
from ._names import Size
from ._rushlight import Tensor
from ._unique import unique, unique_consecutive  # noqa: F401


def _operator(name):
    return _rushlight.Builtin("aten::" + name, "torch." + name)


_FROBENIUS_DIMENSIONS = 2


def norm(input, p="fro", dim=None, keepdim=False, out=None, dtype=None):
    """The norm of vectors, or by name of matrices."""
    dimensions = [dim] if isinstance(dim, int) else dim
    if isinstance(p, str):
        if p == "fro" and (dimensions is None or len(dimensions) <= _FROBENIUS_DIMENSIONS):
            p = 2
        elif p not in ("fro", "nuc"):
            raise RuntimeError(f"linalg.matrix_norm: Order {p} not supported.")
        else:
            if dimensions is None:
                dimensions = list(range(input.dim()))
            arguments = {"dtype": dtype} if out is None else {"dtype": dtype, "out": out}
            return _operator("linalg_matrix_norm")(input, p, dimensions, keepdim, **arguments)
    arguments = {"dtype": dtype} if out is None else {"dtype": dtype, "out": out}
    return _operator("linalg_vector_norm")(input, 2.0 if p is None else p, dimensions, keepdim, **arguments)


def tensordot(a, b, dims=2, out=None):
    """Sums of products over a number of neighbouring dimensions, or over those that two lists name."""
    if isinstance(dims, Tensor):
        dims = dims.tolist()
    if isinstance(dims, int):
        if dims < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        if dims > min(a.dim(), b.dim()):
            raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
        of_a, of_b = list(range(-dims, 0)), list(range(dims))
    else:
        of_a, of_b = ([each] if isinstance(each, int) else list(each) for each in dims)
    arguments = {} if out is None else {"out": out}
    return _operator("tensordot")(a, b, of_a, of_b, **arguments)


def stft(
    input,
    n_fft,
    hop_length=None,
    win_length=None,
    window=None,
    center=True,
    pad_mode="reflect",
    normalized=False,
    onesided=None,
    return_complex=None,
    align_to_window=None,
):
    """Fourier transforms of a window that slides over a signal."""
    if center:
        if align_to_window is not None:
            raise RuntimeError("stft align_to_window should only be set when center = false")
        from .nn.functional import pad

        sizes = list(input.size())
        padded = pad(input.view([1] * (3 - len(sizes)) + sizes), [n_fft // 2, n_fft // 2], pad_mode)
        input = padded.view(list(padded.size())[3 - len(sizes) :])
    return _operator("stft")(
        input, n_fft, hop_length, win_length, window, normalized, onesided, return_complex, align_to_window
    )


def broadcast_shapes(*shapes):
    """The shape that tensors of these shapes broadcast to."""
    sizes = [[shape] if isinstance(shape, int) else list(shape) for shape in shapes]
    return Size(_operator("broadcast_shapes")(*sizes))


def _method(function):
    def method(self, *arguments, **named):
        return function(self, *arguments, **named)

    method.__name__, method.__doc__ = function.__name__, function.__doc__
    return method


for _name in ("norm", "stft", "unique", "unique_consecutive"):
    setattr(Tensor, _name, _method(globals()[_name]))
del _name


def __getattr__(name):
    """The operator of a name."""
    if name.startswith("__") or not _rushlight.has_operator("aten::" + name):
        raise AttributeError(f"module 'torch.functional' has no attribute '{name}'")
    return _operator(name)
