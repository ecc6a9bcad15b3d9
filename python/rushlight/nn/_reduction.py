"""How losses reduce: the names of ``reduction`` as numbers of the operators, and the flags that came before them."""

import warnings
from typing import Optional

from .._library import publish


def get_enum(reduction: str) -> int:
    """The number that operators take for a ``reduction``."""
    if reduction == "elementwise_mean":
        warnings.warn("reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.")
        reduction = "mean"
    numbers = {"none": 0, "mean": 1, "sum": 2}
    if reduction not in numbers:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return numbers[reduction]


def legacy_get_string(size_average: Optional[bool], reduce: Optional[bool], emit_warning: bool = True) -> str:
    """The ``reduction`` that ``size_average`` and ``reduce`` mean together; a flag that is missing is set."""
    reduction = "sum" if size_average is not None and not size_average else "mean"
    if reduce is not None and not reduce:
        reduction = "none"
    if emit_warning:
        warnings.warn(
            f"size_average and reduce args will be deprecated, please use reduction='{reduction}' instead."
        )
    return reduction


def legacy_get_enum(size_average: Optional[bool], reduce: Optional[bool], emit_warning: bool = True) -> int:
    """The number of the ``reduction`` that ``size_average`` and ``reduce`` mean together."""
    return get_enum(legacy_get_string(size_average, reduce, emit_warning))


publish(globals())
