"""``torch.distributed.rpc``: the type of remote references, for annotations. There are no remote calls."""

import typing

_T = typing.TypeVar("_T")


def is_available():
    """Whether there are remote calls: no."""
    return False


class RRef(typing.Generic[_T]):
    """A reference to a value of another process. Scripts know the type; nothing here makes such values."""

    def __init__(self, *args, **kwargs):
        raise RuntimeError("torch.distributed.rpc.RRef: this version of Rushlight has no remote calls")


def __getattr__(name):
    raise AttributeError(
        f"module 'torch.distributed.rpc' has no attribute '{name}' (this version of Rushlight has no remote calls)"
    )
