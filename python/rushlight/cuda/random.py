"""``torch.cuda.random``: random numbers of devices, of which there are none."""

from . import get_rng_state_all, manual_seed, manual_seed_all, seed, seed_all, set_rng_state_all  # noqa: F401
