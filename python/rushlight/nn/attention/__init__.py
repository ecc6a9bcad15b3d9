"""Which way attention is computed: here there is one, whatever is asked for."""

import contextlib
import enum


class SDPBackend(enum.IntEnum):
    """The reference's ways to compute attention."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4

    def __repr__(self):
        return f"<SDPBackend.{self.name}: {self.value}>"

    def __str__(self):
        return f"SDPBackend.{self.name}"


@contextlib.contextmanager
def sdpa_kernel(backends, set_priority=False):
    """Within, attention may be computed in these ways."""
    given = backends if isinstance(backends, (list, tuple)) else [backends]
    for backend in given:
        if not isinstance(backend, SDPBackend):
            raise AssertionError(
                f"Backend must be an instance of SDPBackend or a list of SDPBackend instances, got {type(backend).__name__}"
            )
    yield
