"""``torch.mtia`` where there is no such device: programs ask, and go on without one."""

from ._absent import refuse


def is_available():
    """Never."""
    return False


def is_initialized():
    """Never."""
    return False


def device_count():
    """None."""
    return 0


def empty_cache():
    """Nothing: no memory is kept."""


def manual_seed(seed):
    """Nothing: no stream to seed."""


manual_seed_all = manual_seed

refuse(globals(), ("init", "synchronize", "current_device", "set_device", "current_stream", "default_stream", "get_device_capability",
                   "get_rng_state", "set_rng_state"), RuntimeError, "There is no MTIA device")
