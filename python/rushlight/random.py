"""The default random stream."""

import contextlib

from ._functions import get_rng_state, seed, set_rng_state  # noqa: F401
from ._rushlight import default_generator as _default_generator
from ._rushlight import initial_seed, manual_seed  # noqa: F401

default_generator = _default_generator()


@contextlib.contextmanager
def fork_rng(devices=None, enabled=True, _caller="fork_rng", _devices_kw="devices", device_type=None):
    """Within, the default random stream goes its own way; afterwards it is where it was."""
    if not enabled:
        yield
        return
    state = get_rng_state()
    try:
        yield
    finally:
        set_rng_state(state)
