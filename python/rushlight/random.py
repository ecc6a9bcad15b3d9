"""The default random stream."""

from ._functions import get_rng_state, seed, set_rng_state  # noqa: F401
from ._rushlight import initial_seed, manual_seed  # noqa: F401
