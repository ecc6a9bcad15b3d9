"""``torch.testing._internal.common_utils``: test cases that compare tensors, tests with parameters, switches for a while."""

import contextlib
import functools
import itertools
import numbers
import os
import sys
import tempfile
import unittest
from collections.abc import Iterable, Mapping, Sequence

import rushlight as torch

from .. import assert_close, make_tensor  # noqa: F401
from .._comparison import _TOLERANCES
from ...autograd import gradcheck as _gradcheck
from ...autograd import gradgradcheck as _gradgradcheck


def _has(module):
    import importlib.util

    return importlib.util.find_spec(module) is not None


def _is_set(name):
    return os.environ.get(name, "0") == "1"


IS_LINUX, IS_WINDOWS, IS_MACOS = sys.platform == "linux", sys.platform == "win32", sys.platform == "darwin"
IS_CI, IS_SANDCASTLE, IS_FBCODE, IS_REMOTE_GPU = bool(os.environ.get("CI")), False, False, False
TEST_NUMPY, TEST_SCIPY, TEST_NUMBA = _has("numpy"), _has("scipy"), _has("numba")
# Other devices and ways of running: none is here.
TEST_CUDA = TEST_MULTIGPU = TEST_MPS = TEST_XPU = TEST_HPU = TEST_WITH_ROCM = TEST_MKL = TEST_WITH_TORCHDYNAMO = False
TEST_WITH_TORCHINDUCTOR = TEST_WITH_CROSSREF = TEST_WITH_ASAN = TEST_WITH_TSAN = TEST_WITH_UBSAN = False
TEST_WITH_SLOW, TEST_SKIP_FAST = _is_set("PYTORCH_TEST_WITH_SLOW"), _is_set("PYTORCH_TEST_SKIP_FAST")
SEED = 1234
# What a test case is derived from that is to run nowhere.
NoTest = object

_NUMPY_NAMES = (
    "bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16", "float32", "float64",
    "complex64", "complex128",
)
if TEST_NUMPY:
    import numpy

    numpy_to_torch_dtype_dict = {numpy.dtype(name).type: getattr(torch, name) for name in _NUMPY_NAMES}
    torch_to_numpy_dtype_dict = {dtype: kind for kind, dtype in numpy_to_torch_dtype_dict.items()}


def is_iterable(obj):
    """Whether an object can be gone through."""
    return isinstance(obj, Iterable)


def dtype_name(dtype):
    """The name of a dtype without its module."""
    return str(dtype).split(".")[1]


def set_rng_seed(seed=None):
    """Begins the random streams of PyTorch, Python and NumPy anew."""
    import random

    seed = SEED if seed is None else seed
    torch.manual_seed(seed)
    random.seed(seed)
    if TEST_NUMPY:
        numpy.random.seed(seed)


@contextlib.contextmanager
def freeze_rng_state():
    """Within, the random stream goes its own way; afterwards it is where it was."""
    state = torch.get_rng_state()
    try:
        yield
    finally:
        torch.set_rng_state(state)


@contextlib.contextmanager
def set_default_dtype(dtype):
    """Within, numbers are of this dtype where none is said."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


@contextlib.contextmanager
def TemporaryFileName(*args, **kwargs):
    """The name of a file that is gone afterwards."""
    kwargs.setdefault("delete", False)
    file = tempfile.NamedTemporaryFile(*args, **kwargs)
    try:
        file.close()
        yield file.name
    finally:
        os.unlink(file.name)


@contextlib.contextmanager
def TemporaryDirectoryName(suffix=None):
    """The name of a folder that is gone afterwards."""
    with tempfile.TemporaryDirectory(suffix=suffix) as folder:
        yield folder


def find_free_port():
    """A port that nothing listens at."""
    import socket

    with socket.socket() as one:
        one.bind(("localhost", 0))
        return one.getsockname()[1]


def noncontiguous_like(t):
    """The elements of a tensor in memory where they do not follow one another."""
    if not t.is_contiguous():
        return t
    apart = torch.stack([t.detach(), t.detach()], -1)[..., 0]
    return apart.requires_grad_(t.requires_grad)


def gradcheck(fn, inputs, **kwargs):
    """See ``torch.autograd.gradcheck``."""
    return _gradcheck(fn, inputs, **kwargs)


def gradgradcheck(fn, inputs, grad_outputs=None, **kwargs):
    """See ``torch.autograd.gradgradcheck``."""
    return _gradgradcheck(fn, inputs, grad_outputs, **kwargs)


def slowTest(fn):
    """A test that runs only where slow ones are asked for."""
    skip = unittest.skipIf(not TEST_WITH_SLOW, "test is slow; run with PYTORCH_TEST_WITH_SLOW to enable test")
    marked = skip(fn)
    marked.slow_test = True
    return marked


def _kept(reason=""):
    """A decorator for where something is at work that never is here: alone or with a reason."""
    return reason if callable(reason) else lambda fn: fn


skipIfTorchDynamo = skipIfTorchInductor = skipIfCrossRef = skipIfRocm = skipIfMPS = skipIfXpu = skipIfHpu = _kept


def skipIfNoSciPy(fn):
    """A test that needs SciPy."""
    return unittest.skipIf(not TEST_SCIPY, "test require SciPy, but SciPy not found")(fn)


def run_tests(argv=None):
    """Runs the tests of the program."""
    unittest.main(argv=argv)


# Parameters.


class subtest:
    """The values of one test of many, and its name."""

    def __init__(self, arg_values, name=None, decorators=None):
        self.arg_values, self.name, self.decorators = arg_values, name, decorators or []


def _in_name(value):
    """How a value stands in the name of a test; None for what has no short form."""
    if isinstance(value, torch.dtype):
        return dtype_name(value)
    if isinstance(value, torch.device):
        return str(value)
    if type(value).__name__ in ("builtin_function_or_method", "function"):
        return value.__name__
    if isinstance(value, (int, float, str)):
        return str(value).replace(".", "_")
    return None


class _Parametrized:
    """A decorator that says with which values a test is to be made, and under which names."""

    def __call__(self, fn):
        inner = getattr(fn, "parametrize_fn", None)
        own = self.tests
        if inner is None:
            fn.parametrize_fn = own
            return fn

        def both(test, generic_cls, device_cls):
            for (one, name, kwargs), (_, other, others) in itertools.product(
                own(test, generic_cls, device_cls), list(inner(test, generic_cls, device_cls))
            ):
                clash = kwargs.keys() & others.keys()
                if clash:
                    raise RuntimeError(f"Parametrization of {test.__name__} given twice for {', '.join(sorted(clash))}")
                yield one, "_".join(part for part in (name, other) if part), {**kwargs, **others}

        fn.parametrize_fn = both
        return fn


class parametrize(_Parametrized):
    """Makes a test for every one of the values of arguments, which are named with commas between."""

    def __init__(self, arg_str, arg_values, name_fn=None):
        self.names = [name.strip() for name in arg_str.split(",") if name.strip()]
        self.values, self.name_fn = arg_values, name_fn

    def _name(self, place, values):
        if self.name_fn is not None:
            return self.name_fn(*values)
        parts = []
        for name, value in zip(self.names, values):
            shown = _in_name(value)
            parts.append(name + str(place) if shown is None else shown if isinstance(value, torch.dtype) else f"{name}_{shown}")
        return "_".join(parts)

    def tests(self, test, generic_cls, device_cls):
        """Each test: the function, its name and its arguments."""
        for place, values in enumerate(self.values):
            name, decorators, made = None, (), test
            if isinstance(values, subtest):
                name, decorators, values = values.name, values.decorators, values.arg_values
            values = list(values) if len(self.names) > 1 else [values]
            if len(values) != len(self.names):
                raise RuntimeError(f"Expected # values == # arg names, but got: {len(values)} values and {len(self.names)} names")
            if decorators:
                made = functools.wraps(test)(lambda *args, **kwargs: test(*args, **kwargs))
                for decorator in decorators:
                    made = decorator(made)
            yield made, name or self._name(place, values), dict(zip(self.names, values))


def instantiated(test, name, kwargs):
    """The test of a name, which calls another with arguments."""

    @functools.wraps(test)
    def method(self):
        return test(self, **kwargs)

    # The arguments are no longer for runners of tests to find.
    del method.__wrapped__
    method.__name__ = method.__qualname__ = name
    return method


def instantiate_parametrized_tests(generic_cls):
    """Puts the tests that :class:`parametrize` asks for in the place of the one that it marks."""
    for name, test in list(vars(generic_cls).items()):
        made = getattr(test, "parametrize_fn", None)
        if made is None:
            continue
        delattr(generic_cls, name)
        for one, suffix, kwargs in made(test, generic_cls, None):
            full = f"{name}_{suffix}"
            if hasattr(generic_cls, full):
                raise RuntimeError(f"Redefinition of test {full}")
            setattr(generic_cls, full, instantiated(one, full, kwargs))
    return generic_cls


# Comparison.

_MISSING = "Missing keys in the actual mapping: {}"
_ADDED = "Additional keys in the actual mapping: {}"


class TestCase(unittest.TestCase):
    """A test case whose ``assertEqual`` takes tensors and what holds them; each test begins with the same random stream."""

    precision, rel_tol = 0, 0
    longMessage, maxDiff = True, None

    def setUp(self):
        set_rng_seed(SEED)

    def assertEqual(
        self, x, y, msg=None, *, atol=None, rtol=None, equal_nan=True, exact_dtype=True, exact_device=False, exact_layout=False,
        exact_stride=False, exact_is_coalesced=False,
    ):
        """That two values are equal, or close where they are numbers.

        Args:
            msg: text that follows the message, or a function that makes another of it.
            atol, rtol: how far numbers may be from one another, both or none.
            equal_nan: whether what is no number equals itself.
        """
        if (atol is None) != (rtol is None):
            raise ValueError("atol and rtol must both be specified or both be unspecified")
        options = dict(
            equal_nan=equal_nan, check_dtype=exact_dtype, check_device=exact_device, check_layout=exact_layout,
            check_stride=exact_stride, atol=atol, rtol=rtol,
        )
        if self.precision and atol is None:
            options.update(atol=self.precision, rtol=self.rel_tol)
        try:
            self._compare(x, y, options)
        except AssertionError as error:
            text = str(error)
            text = msg(text) if callable(msg) else text if msg is None else f"{text}\n{msg}"
            raise AssertionError(text) from None

    def assertNotEqual(self, x, y, msg=None, *, atol=None, rtol=None, **kwargs):
        """That two values are not equal."""
        with self.assertRaises(AssertionError, msg=msg):
            self.assertEqual(x, y, msg, atol=atol, rtol=rtol, **kwargs)

    def _compare(self, x, y, options):
        if isinstance(x, str) and isinstance(y, str):
            if x != y:
                try:
                    self.assertMultiLineEqual(x, y)
                except AssertionError as error:
                    raise AssertionError(f"String comparison failed: {error}") from None
        elif isinstance(x, (set, frozenset)) and isinstance(y, (set, frozenset)):
            try:
                self.assertSetEqual(x, y)
            except AssertionError as error:
                raise AssertionError(f"Set comparison failed: {error}") from None
        elif _is_array(x) or _is_array(y):
            self._compare_tensors(x, y, options)
        elif isinstance(x, Mapping) and isinstance(y, Mapping):
            missing, added = [key for key in y if key not in x], [key for key in x if key not in y]
            if missing or added:
                said = [form.format(keys) for form, keys in ((_MISSING, missing), (_ADDED, added)) if keys]
                raise AssertionError("\n".join(("The keys of the mappings do not match:", *said)))
            for key in x:
                self._compare_part(x[key], y[key], key, options)
        elif _is_sequence(x) and _is_sequence(y):
            if len(x) != len(y):
                raise AssertionError(f"The length of the sequences mismatch: {len(x)} != {len(y)}")
            for place, (one, other) in enumerate(zip(x, y)):
                self._compare_part(one, other, place, options)
        elif x is None or y is None:
            if x is not y:
                raise AssertionError(f"None mismatch: {x} is not {y}")
        elif isinstance(x, numbers.Number) and isinstance(y, numbers.Number):
            assert_close(x, y, **{**options, "check_dtype": False})
        elif x != y:
            raise AssertionError(f"Object comparison failed: {x} != {y}")

    def _compare_part(self, x, y, place, options):
        try:
            self._compare(x, y, options)
        except AssertionError as error:
            raise AssertionError(f"{error}\n\nThe failure occurred for item [{place!r}]") from None

    def _compare_tensors(self, x, y, options):
        x, y = (torch.as_tensor(each) if _is_array(each) else each for each in (x, y))
        plain = [each for each in (x, y) if not isinstance(each, torch.Tensor)]
        if plain and isinstance(plain[0], numbers.Number):
            # A tensor of one element is as good as a number, and as exact as its dtype is.
            if options["atol"] is None:
                rtol, atol = _TOLERANCES.get((y if plain[0] is x else x).dtype.name, (0.0, 0.0))
                options = {**options, "rtol": rtol, "atol": atol}
            x, y = (each.item() if isinstance(each, torch.Tensor) else each for each in (x, y))
            options = {**options, "check_dtype": False}
        elif plain and _is_sequence(plain[0]):
            dtype = (x if y is plain[0] else y).dtype
            x, y = (each if isinstance(each, torch.Tensor) else torch.as_tensor(each, dtype=dtype) for each in (x, y))
        elif plain:
            raise AssertionError(f"Object comparison failed: {x} != {y}")
        assert_close(x, y, **options)


def _is_array(value):
    return isinstance(value, torch.Tensor) or TEST_NUMPY and isinstance(value, numpy.ndarray)


def _is_sequence(value):
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))
