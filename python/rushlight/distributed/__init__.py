"""``torch.distributed``: there is no communication between processes; programs that ask are told so."""


def is_available():
    """Whether there is communication between processes: no."""
    return False


def is_initialized():
    """Whether communication between processes has begun: no."""
    return False


def __getattr__(name):
    if name == "rpc":
        import importlib

        return importlib.import_module(__name__ + ".rpc")
    raise AttributeError(
        f"module 'torch.distributed' has no attribute '{name}' (this version of Rushlight has no communication between processes)"
    )
