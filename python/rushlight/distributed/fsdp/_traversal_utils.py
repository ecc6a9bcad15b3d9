"""The divided modules within a module, of which there are none."""


def _get_fsdp_states(module):
    """None."""
    return []


def _get_fsdp_handles(module):
    """None."""
    return []
