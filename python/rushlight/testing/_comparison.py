"""``assert_close``: tensors, numbers and containers of them compared within tolerances."""

import cmath
import collections.abc
import sys
import warnings

import rushlight as torch

from .._rushlight import Tensor

# Relative and absolute tolerances by dtype; other dtypes must agree exactly.
_TOLERANCES = {
    "float16": (1e-3, 1e-5), "bfloat16": (1.6e-2, 1e-5), "float32": (1.3e-6, 1e-5), "float64": (1e-7, 1e-7),
    "complex32": (1e-3, 1e-5), "complex64": (1.3e-6, 1e-5), "complex128": (1e-7, 1e-7),
}


# What sparse tensors are compared by: the name of the layout, and the tensors that one is made of.
_SPARSE = {
    torch.sparse_coo: ("COO", ("indices", "values")),
    torch.sparse_csr: ("CSR", ("crow_indices", "col_indices", "values")),
    torch.sparse_csc: ("CSC", ("ccol_indices", "row_indices", "values")),
    torch.sparse_bsr: ("BSR", ("crow_indices", "col_indices", "values")),
    torch.sparse_bsc: ("BSC", ("ccol_indices", "row_indices", "values")),
}


class _Mismatch(Exception):
    """Why two things differ, and where in their containers."""

    def __init__(self, text, path):
        super().__init__(text)
        self.path = path


def _plain(value):
    """A number of NumPy as a number of Python, other values as they are."""
    numpy = sys.modules.get("numpy")
    return value.item() if numpy is not None and isinstance(value, (numpy.number, numpy.bool_)) else value


def _array_class():
    """What arrays of NumPy are; no class at all where it is not loaded."""
    numpy = sys.modules.get("numpy")
    return () if numpy is None else numpy.ndarray


def _place(path):
    return "\n\nThe failure occurred for item " + "".join(f"[{part!r}]" for part in path) if path else ""


class _Comparison:
    """The options of one comparison."""

    def __init__(self, rtol, atol, equal_nan, subclasses, checks):
        if (rtol is None) != (atol is None):
            missing = "atol" if atol is None else "rtol"
            raise ValueError(
                f"Both 'rtol' and 'atol' must be either specified or omitted, but got no {missing}."
            )
        self.rtol = rtol
        self.atol = atol
        self.equal_nan = equal_nan
        self.subclasses = subclasses
        self.checks = checks

    def compare(self, actual, expected, path=()):
        """Raises for the first difference."""
        actual, expected = _plain(actual), _plain(expected)
        both = (actual, expected)
        if actual is None or expected is None:
            if actual is not expected:
                raise _Mismatch(f"None mismatch: {actual} is not {expected}", path)
        elif self._are(both, bool):
            if actual is not expected:
                raise _Mismatch(f"Booleans mismatch: {actual} is not {expected}", path)
        elif self._are(both, (int, float, complex)):
            self._numbers(actual, expected, path)
        elif self._are(both, Tensor):
            self._tensors(actual, expected, path)
        elif self._are(both, _array_class()) and all(one.dtype.kind in "biufc" for one in both):
            self._tensors(torch.as_tensor(actual), torch.as_tensor(expected), path)
        elif self._are(both, collections.abc.Sequence) and not self._are(both, str):
            if len(actual) != len(expected):
                raise _Mismatch(f"The length of the sequences mismatch: {len(actual)} != {len(expected)}", path)
            for i, pair in enumerate(zip(actual, expected)):
                self.compare(*pair, (*path, i))
        elif self._are(both, collections.abc.Mapping):
            self._mappings(actual, expected, path)
        else:
            raise TypeError(
                f"No comparison pair was able to handle inputs of type {type(actual)} and {type(expected)}.{_place(path)}"
            )

    def _are(self, both, kind):
        same = self.subclasses or type(both[0]) is type(both[1])
        return same and all(isinstance(one, kind) for one in both)

    def _mappings(self, actual, expected, path):
        missing = sorted(expected.keys() - actual.keys(), key=repr)
        more = sorted(actual.keys() - expected.keys(), key=repr)
        if missing or more:
            raise _Mismatch(
                f"The keys of the mappings do not match:\nMissing keys in the actual mapping: {missing}\n"
                f"Additional keys in the actual mapping: {more}",
                path,
            )
        for key in sorted(expected, key=repr):
            self.compare(actual[key], expected[key], (*path, key))

    def _tolerances(self, *dtypes):
        """The tolerances for dtypes: the larger ones of them."""
        if self.rtol is not None:
            return self.rtol, self.atol
        defaults = [_TOLERANCES.get(dtype, (0.0, 0.0)) for dtype in dtypes]
        return max(d[0] for d in defaults), max(d[1] for d in defaults)

    def _numbers(self, actual, expected, path):
        if self.checks["dtype"] and type(actual) is not type(expected):
            raise _Mismatch(f"The (d)types do not match: {type(actual)} != {type(expected)}.", path)
        names = {int: "int64", float: "float64", complex: "complex128"}
        rtol, atol = self._tolerances(*(names.get(type(n), "int64") for n in (actual, expected)))
        self._scalars(actual, expected, rtol, atol, path)

    def _scalars(self, actual, expected, rtol, atol, path):
        difference = abs(actual - expected)
        nans = cmath.isnan(actual) and cmath.isnan(expected)
        close = actual == expected or self.equal_nan and nans
        if close or cmath.isfinite(difference) and difference <= atol + rtol * abs(expected):
            return
        if not expected:
            relative = float("inf")
        else:
            relative = difference / abs(expected)
        exact = not rtol and not atol
        allowed = ["", ""] if exact else [f" (up to {atol} allowed)", f" (up to {rtol} allowed)"]
        raise _Mismatch(
            f"Scalars are not {'equal' if exact else 'close'}!\n\nExpected {expected} but got {actual}.\n"
            f"Absolute difference: {difference}{allowed[0]}\nRelative difference: {relative}{allowed[1]}",
            path,
        )

    def _tensors(self, actual, expected, path):
        self._attributes(actual, expected, path)
        if actual.layout != expected.layout:
            actual, expected = (t.to_dense() if t.layout != torch.strided else t for t in (actual, expected))
        parts = _SPARSE.get(actual.layout)
        if parts is not None:
            self._sparse(actual, expected, path, *parts)
        else:
            self._dense(actual, expected, path, "Tensor-likes")

    def _sparse(self, actual, expected, path, kind, names):
        """Where the elements are, then what they are."""
        if actual._nnz() != expected._nnz():
            counts = f"{actual._nnz()} != {expected._nnz()}"
            raise _Mismatch(f"The number of specified values in sparse {kind} tensors does not match: {counts}", path)
        for name in names:
            own = "_" + name if kind == "COO" else name
            first, second = getattr(actual, own)(), getattr(expected, own)()
            self._dense(first, second, path, f"Sparse {kind} {name}", exact=name != "values")

    def _dense(self, actual, expected, path, what, exact=False):
        rtol, atol = (0.0, 0.0) if exact else self._tolerances(actual.dtype.name, expected.dtype.name)
        a, b = actual.detach(), expected.detach()
        if a.dtype != b.dtype:
            common = torch.promote_types(a.dtype, b.dtype)
            a, b = a.to(common), b.to(common)
        if a.is_floating_point() and a.element_size() == 1:
            a, b = a.to(torch.float32), b.to(torch.float32)
        if a.is_quantized:
            a, b, what = a.dequantize(), b.dequantize(), f"Quantized {what.lower()}"
            rtol, atol = self._tolerances("float32")
        close = torch.isclose(a, b, rtol=rtol, atol=atol, equal_nan=self.equal_nan)
        if bool(close.all()):
            return
        if not a.dim():
            self._scalars(a.item(), b.item(), rtol, atol, path)
        raise _Mismatch(_tensor_text(what, a, b, close, rtol, atol), path)

    def _attributes(self, actual, expected, path):
        def check(name, mine, theirs):
            if mine != theirs:
                raise _Mismatch(f"The values for attribute '{name}' do not match: {mine} != {theirs}.", path)

        check("shape", actual.shape, expected.shape)
        if self.checks["layout"]:
            check("layout", actual.layout, expected.layout)
        if self.checks["device"]:
            check("device", actual.device, expected.device)
        if self.checks["dtype"]:
            check("dtype", actual.dtype, expected.dtype)
        if self.checks["stride"]:
            check("stride()", actual.stride(), expected.stride())


def _tensor_text(what, actual, expected, close, rtol, atol):
    """How far two tensors are apart."""
    wrong = ~close
    count, total = int(wrong.sum()), wrong.numel()
    if not actual.is_floating_point() and not actual.is_complex():
        # The differences of small integers may not fit into their dtype.
        actual, expected = actual.to(torch.int64), expected.to(torch.int64)
    difference = (actual - expected).abs()
    difference = torch.where(close, torch.zeros_like(difference), difference)
    relative = difference / expected.abs()
    relative = torch.where(close, torch.zeros_like(relative), relative)
    exact = not rtol and not atol
    lines = [
        f"{what} are not {'equal' if exact else 'close'}!", "",
        f"Mismatched elements: {count} / {total} ({count / total:.1%})",
    ]
    for which, values, allowed in (("absolute", difference, atol), ("relative", relative, rtol)):
        flat = values.flatten()
        at = int(flat.argmax())
        up_to = "" if exact else f" (up to {allowed} allowed)"
        lines.append(f"Greatest {which} difference: {flat[at].item()} at index {_index(at, values.shape)}{up_to}")
    return "\n".join(lines)


def _index(flat, shape):
    """The index of an element that is number ``flat``."""
    out = []
    for size in reversed(shape):
        flat, at = divmod(flat, size)
        out.append(at)
    return tuple(reversed(out))


def assert_close(
    actual, expected, *, allow_subclasses=True, rtol=None, atol=None, equal_nan=False, check_device=True, check_dtype=True,
    check_layout=True, check_stride=False, msg=None,
):
    """Raises AssertionError unless two tensors, numbers or containers of them agree within tolerances."""
    checks = {"device": check_device, "dtype": check_dtype, "layout": check_layout, "stride": check_stride}
    comparison = _Comparison(rtol, atol, equal_nan, allow_subclasses, checks)
    try:
        comparison.compare(actual, expected)
        return
    except _Mismatch as mismatch:
        text = str(mismatch) + _place(mismatch.path)
    raise AssertionError(text if msg is None else msg(text) if callable(msg) else msg)


# Tolerances of the older function.
_OLD_TOLERANCES = {"float16": (1e-3, 1e-3), "float32": (1e-4, 1e-5), "float64": (1e-5, 1e-8)}


def assert_allclose(actual, expected, rtol=None, atol=None, equal_nan=True, msg=""):
    """The older form of ``assert_close``."""
    warnings.warn(
        "`torch.testing.assert_allclose()` is deprecated since 1.12 and will be removed in a future release. Please use "
        "`torch.testing.assert_close()` instead. You can find detailed upgrade instructions in "
        "https://github.com/pytorch/pytorch/issues/61844.",
        FutureWarning,
        stacklevel=2,
    )
    actual = actual if isinstance(actual, Tensor) else torch.tensor(actual)
    expected = expected if isinstance(expected, Tensor) else torch.tensor(expected, dtype=actual.dtype)
    if rtol is None and atol is None:
        pairs = [_OLD_TOLERANCES.get(t.dtype.name, (0.0, 0.0)) for t in (actual, expected)]
        rtol, atol = max(p[0] for p in pairs), max(p[1] for p in pairs)
    assert_close(
        actual, expected, rtol=rtol, atol=atol, equal_nan=equal_nan, check_dtype=False, check_device=True, msg=msg or None
    )
