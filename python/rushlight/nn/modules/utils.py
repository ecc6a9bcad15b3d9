"""Sizes given as one number or as one for each dimension."""

from collections.abc import Iterable
from typing import List

from ..._library import publish
from .._sizes import filled

__all__ = ["consume_prefix_in_state_dict_if_present"]


def _ntuple(n, name="spread"):
    """A function that makes a tuple of ``n`` from one value and leaves sequences as they are."""

    def spread(x):
        return tuple(x) if isinstance(x, Iterable) else (x,) * n

    spread.__name__ = name
    spread._script_path = f"torch.nn.modules.utils.{name}"
    return spread


_single = _ntuple(1, "_single")
_pair = _ntuple(2, "_pair")
_triple = _ntuple(3, "_triple")
_quadruple = _ntuple(4, "_quadruple")


def _reverse_repeat_tuple(t, n):
    """The values in reverse order, each ``n`` times."""
    return tuple(x for x in reversed(t) for _ in range(n))


def _list_with_default(out_size: List[int], defaults: List[int]) -> List[int]:
    """Sizes with those of the input where they say None."""
    return filled(out_size, defaults)


def consume_prefix_in_state_dict_if_present(state_dict, prefix):
    """Takes a prefix off the names of a state, in place."""
    for key in list(state_dict.keys()):
        if key.startswith(prefix):
            state_dict[key[len(prefix) :]] = state_dict.pop(key)
    metadata = getattr(state_dict, "_metadata", None)
    if metadata is not None:
        for key in list(metadata.keys()):
            if key == prefix.replace(".", "") or key.startswith(prefix):
                metadata[key[len(prefix) :]] = metadata.pop(key)


publish(globals())
