"""``torch.mps`` where there is no such device: programs ask, and go on without one."""


def is_available():
    """Never."""
    return False


def device_count():
    """None."""
    return 0


def manual_seed(seed):
    """Nothing: no stream to seed."""


def _refused(name, native):
    def refuse(*args, **kwargs):
        raise RuntimeError(f"Cannot execute {native}() without MPS backend.")

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = "Needs a device; there is none."
    return refuse


for _name, _native in {
    "current_allocated_memory": "getCurrentAllocatedMemory", "driver_allocated_memory": "getDriverAllocatedMemory",
    "empty_cache": "emptyCache", "get_rng_state": "getDefaultGenerator", "recommended_max_memory": "recommendedMaxMemory",
    "seed": "getDefaultGenerator", "set_per_process_memory_fraction": "setMemoryFraction",
    "set_rng_state": "getDefaultGenerator", "synchronize": "deviceSynchronize",
}.items():
    globals()[_name] = _refused(_name, _native)
del _name, _native
