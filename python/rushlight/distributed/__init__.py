"""``torch.distributed``: remote calls in ``rpc``; there are no collective operations."""


def is_available():
    """Whether there are collective operations between processes: no. See ``rpc.is_available``."""
    return False


def is_initialized():
    """Whether collective operations have begun: no."""
    return False


def __getattr__(name):
    if name == "rpc":
        import importlib

        return importlib.import_module(__name__ + ".rpc")
    raise AttributeError(
        f"module 'torch.distributed' has no attribute '{name}' (this version of Rushlight has no collective operations)"
    )
