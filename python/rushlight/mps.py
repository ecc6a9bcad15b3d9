"""``torch.mps`` where there is no such device: programs ask, and go on without one."""

from ._absent import refuse


def is_available():
    """Never."""
    return False


def device_count():
    """None."""
    return 0


def manual_seed(seed):
    """Nothing: no stream to seed."""


_NATIVE = {
    "current_allocated_memory": "getCurrentAllocatedMemory", "driver_allocated_memory": "getDriverAllocatedMemory",
    "empty_cache": "emptyCache", "get_rng_state": "getDefaultGenerator", "recommended_max_memory": "recommendedMaxMemory",
    "seed": "getDefaultGenerator", "set_per_process_memory_fraction": "setMemoryFraction",
    "set_rng_state": "getDefaultGenerator", "synchronize": "deviceSynchronize",
}

refuse(globals(), _NATIVE, RuntimeError, lambda name: f"Cannot execute {_NATIVE[name]}() without MPS backend.")
