"""Comparison of tensors in tests."""

from .._rushlight import Tensor
from ._file_check import FileCheck  # noqa: F401

_TOLERANCES = {"float16": (1e-3, 1e-5), "bfloat16": (1.6e-2, 1e-5), "float32": (1.3e-6, 1e-5), "float64": (1e-7, 1e-7)}


def assert_close(actual, expected, *, rtol=None, atol=None, equal_nan=False, msg=None):
    """Raises AssertionError unless two tensors, numbers or sequences of them agree within tolerances."""
    if isinstance(actual, (list, tuple)):
        if len(actual) != len(expected):
            raise AssertionError(f"The length of the sequences mismatch: {len(actual)} != {len(expected)}")
        for a, b in zip(actual, expected):
            assert_close(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan, msg=msg)
        return
    if not isinstance(actual, Tensor):
        from .. import tensor

        actual, expected = tensor(actual), tensor(expected)
    if actual.shape != expected.shape:
        raise AssertionError(msg or f"The values for attribute 'shape' do not match: {actual.shape} != {expected.shape}.")
    if actual.dtype != expected.dtype:
        raise AssertionError(msg or f"The values for attribute 'dtype' do not match: {actual.dtype} != {expected.dtype}.")
    default = _TOLERANCES.get(actual.dtype.name, (0.0, 0.0))
    rtol = default[0] if rtol is None else rtol
    atol = default[1] if atol is None else atol
    if not actual.isclose(expected, rtol, atol, equal_nan).all():
        raise AssertionError(msg or "Tensor-likes are not close!")
