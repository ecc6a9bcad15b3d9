"""Functions of matrices that the reference has removed: calling one says what took its place. ``lu`` is still there."""

import rushlight as torch

_HEAD = "This function was deprecated since version 1.9 and is now removed. "
_MESSAGES = {
    "cholesky": "`torch.cholesky` is deprecated in favor of `torch.linalg.cholesky`.",
    "eig": "`torch.linalg.eig` returns complex tensors of dtype `cfloat` or `cdouble` rather than real tensors mimicking complex tensors.",
    "lstsq": "`torch.lstsq` is deprecated in favor of `torch.linalg.lstsq`.",
    "qr": (
        "`torch.qr` is deprecated in favor of `torch.linalg.qr` and the boolean parameter `some` has been replaced with a string parameter "
        "`mode`."
    ),
    "solve": (
        "`torch.solve` is deprecated in favor of `torch.linalg.solve`. `torch.linalg.solve` has its arguments reversed and does not return the "
        "LU factorization."
    ),
    "symeig": (
        "The default behavior has changed from using the upper triangular portion of the matrix by default to using the lower triangular "
        "portion."
    ),
}


def _removed(name, message):
    def function(*args, **kwargs):
        raise RuntimeError(_HEAD + message)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Is removed: ``torch.linalg`` has what took the place of ``torch.{name}``."
    return function


for _name, _message in _MESSAGES.items():
    globals()[_name] = _removed(_name, _message)


def lu(A, pivot=True, get_infos=False, out=None):
    """The factors of matrices in one, the exchanges of rows, and (``get_infos``) what went wrong."""
    if not pivot:
        raise RuntimeError("linalg.lu_factor: LU without pivoting is not implemented on the CPU")
    # Of singular matrices too: whoever wants to know looks at the third.
    found = torch._lu_with_info(A)
    found = found if get_infos else (found.LU, found.pivots)
    if out is None:
        return found
    if not isinstance(out, (tuple, list)):
        raise TypeError(f"argument 'out' must be tuple of Tensors, not {type(out).__name__}")
    if len(out) != len(found):
        raise TypeError(f"expected tuple of {len(found)} elements but got {len(out)}")
    for target, part in zip(out, found):
        target.resize_(part.shape).copy_(part)
    return out


METHODS = (*_MESSAGES, "lu")
