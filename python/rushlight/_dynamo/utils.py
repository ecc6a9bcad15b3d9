"""``torch._dynamo.utils``: questions about the reference's compiler, which is not here."""

import contextlib
import functools
import warnings
from collections import Counter, defaultdict

# What the compiler would have counted: nothing.
counters = defaultdict(Counter)


def is_compile_supported(device_type):
    """Whether programs for a kind of devices can be compiled: never."""
    return False


def is_compiling():
    """Whether a program is being compiled: never."""
    return False


@functools.cache
def warn_once(msg, stacklevel=1):
    """Warns, once for each message."""
    warnings.warn(msg, stacklevel=stacklevel + 1)


@contextlib.contextmanager
def disable_cache_limit():
    """Within, functions may be compiled as often as it takes: nothing is compiled, so nothing is counted."""
    yield
