"""Functions of matrices that the reference has removed: calling one says what took its place. ``lu`` is still there."""

import rushlight as torch

_HEAD = "This function was deprecated since version 1.9 and is now removed. "


def _replaced(*pairs):
    """What a call is replaced by, a pair of lines for each form of it."""
    return "\n\nand\n\n".join(f"{old}{'' if old.endswith(chr(10)) else ' '}should be replaced with:\n{new}" for old, new in pairs)


_MESSAGES = {
    "cholesky": (
        "`torch.cholesky` is deprecated in favor of `torch.linalg.cholesky`.\n"
        + _replaced(("L = torch.cholesky(A)", "L = torch.linalg.cholesky(A)"))
        + "\n"
        + _replaced(("U = torch.cholesky(A, upper=True)", "U = torch.linalg.cholesky(A).mH"))
    ),
    "eig": (
        "`torch.linalg.eig` returns complex tensors of dtype `cfloat` or `cdouble` rather than real tensors mimicking complex tensors.\n\n"
        + _replaced(
            ("L, _ = torch.eig(A)", "L_complex = torch.linalg.eigvals(A)"),
            ("L, V = torch.eig(A, eigenvectors=True)", "L_complex, V_complex = torch.linalg.eig(A)"),
        )
    ),
    "lstsq": (
        "`torch.lstsq` is deprecated in favor of `torch.linalg.lstsq`.\n`torch.linalg.lstsq` has reversed arguments and does not return the QR "
        "decomposition in the returned tuple (although it returns other information about the problem).\n\nTo get the QR decomposition "
        "consider using `torch.linalg.qr`.\n\nThe returned solution in `torch.lstsq` stored the residuals of the solution in the last m - n "
        "columns of the returned value whenever m > n. In torch.linalg.lstsq, the residuals are in the field 'residuals' of the returned named "
        "tuple.\n\nThe unpacking of the solution, as in\n"
        + _replaced(("X, _ = torch.lstsq(B, A).solution[:A.size(1)]\n", "X = torch.linalg.lstsq(A, B).solution"))
    ),
    "qr": (
        "`torch.qr` is deprecated in favor of `torch.linalg.qr` and the boolean parameter `some` has been replaced with a string parameter "
        "`mode`.\n\n"
        + _replaced(
            ("Q, R = torch.qr(A)", "Q, R = torch.linalg.qr(A, mode='reduced')"),
            ("Q, R = torch.qr(A, some=False)", "Q, R = torch.linalg.qr(A, mode='complete')"),
        )
        + "\n\nSince `some` was set to {some}, use mode='{mode}'."
    ),
    "solve": (
        "`torch.solve` is deprecated in favor of `torch.linalg.solve`. `torch.linalg.solve` has its arguments reversed and does not return the "
        "LU factorization.\n\nTo get the LU factorization see `torch.lu`, which can be used with `torch.lu_solve` or `torch.lu_unpack`.\n"
        + _replaced(("X = torch.solve(B, A).solution", "X = torch.linalg.solve(A, B)"))
    ),
    "symeig": (
        "The default behavior has changed from using the upper triangular portion of the matrix by default to using the lower triangular "
        "portion.\n\n"
        + _replaced(
            ("L, _ = torch.symeig(A, upper=upper)", "L = torch.linalg.eigvalsh(A, UPLO='U' if upper else 'L')"),
            ("L, V = torch.symeig(A, eigenvectors=True)", "L, V = torch.linalg.eigh(A, UPLO='U' if upper else 'L')"),
        )
    ),
}


def _removed(name, message):
    if name in ("lstsq", "solve"):

        def function(input, A, *, out=None):
            raise RuntimeError(_HEAD + message)

    else:

        def function(input, some=True, *args, **kwargs):
            mode = "reduced" if some else "complete"
            raise RuntimeError(_HEAD + message.replace("{some}", str(some)).replace("{mode}", mode))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Is removed: ``torch.linalg`` has what took the place of ``torch.{name}``."
    return function


for _name, _message in _MESSAGES.items():
    globals()[_name] = _removed(_name, _message)


def matrix_rank(input, tol=None, symmetric=False, *, out=None):
    """Removed; raises ``RuntimeError``."""
    raise RuntimeError(
        "This function was deprecated since version 1.9 and is now removed.\nPlease use the `torch.linalg.matrix_rank` function instead. "
        "The parameter 'symmetric' was renamed in `torch.linalg.matrix_rank()` to 'hermitian'."
    )


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
