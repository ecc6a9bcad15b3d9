"""``torch.distributed``: processes that work together.

Collectives of CPU tensors go over TCP between the processes of a job (``init_process_group``, ``all_reduce``, ...), remote
calls are in ``rpc``. Members know a secret, which on one machine is made by itself; see ``_secret.py``.
"""

from importlib import import_module as _import_module

# Modules that are loaded when they are first asked for.
_MODULES = frozenset((
    "algorithms", "autograd", "constants", "device_mesh", "distributed_c10d", "elastic", "launch", "nn", "optim", "rendezvous", "rpc", "run",
))


def is_available():
    """Whether there are collective operations between processes: yes."""
    return True


def is_initialized():
    """Whether this process has joined the group of all."""
    import sys

    # Who has not, need not load what it takes.
    world = sys.modules.get(__package__ + "._world")
    return world is not None and world.is_initialized()


def __getattr__(name):
    if name in _MODULES:
        return _import_module("." + name, __package__)
    if name in ("DeviceMesh", "init_device_mesh"):
        return getattr(_import_module(".device_mesh", __package__), name)
    if not name.startswith("_") or name in _PRIVATE:
        found = getattr(_import_module(".distributed_c10d", __package__), name, None)
        if found is not None:
            globals()[name] = found
            return found
    raise AttributeError(f"module 'torch.distributed' has no attribute '{name}'")


_PRIVATE = frozenset(("_all_gather_base", "_reduce_scatter_base", "_coalescing_manager"))


def __dir__():
    known = _import_module(".distributed_c10d", __package__)
    return sorted({*globals(), *_MODULES, *(n for n in dir(known) if not n.startswith("_"))})
