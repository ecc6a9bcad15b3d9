"""``torch.distributed._symmetric_memory``: memory that several devices share, of which there is none."""

from .._absent import refuse


def is_nvshmem_available():
    """No."""
    return False


def is_symm_mem_enabled_for_group(group_name):
    """No."""
    return False


def _why(name):
    return f"torch.distributed._symmetric_memory.{name}: there are no devices that share memory"


refuse(globals(), (
    "empty", "rendezvous", "set_backend", "get_backend",
    "enable_symm_mem_for_group", "get_symm_mem_workspace", "get_mem_pool",
), NotImplementedError, _why)
