"""Pinned memory, which only devices need: there is none here."""

from ...._absent import refuse



def pin_memory(data, device=None):
    """The data as they are."""
    return data


refuse(globals(), ("_pin_memory_loop",), NotImplementedError, lambda name: (
    f"torch.utils.data._utils.pin_memory.{name}: there is no device that needs pinned memory; pass pin_memory=False"
))
