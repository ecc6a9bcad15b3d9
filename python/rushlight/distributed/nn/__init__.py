"""``torch.distributed.nn``: collectives that gradients go through."""

from . import functional
from .functional import (  # noqa: F401
    all_gather,
    all_reduce,
    all_to_all,
    all_to_all_single,
    broadcast,
    gather,
    reduce,
    reduce_scatter,
    scatter,
)

__all__ = ["functional", *functional.__all__]
