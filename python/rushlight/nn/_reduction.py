"""How losses reduce: the names of ``reduction`` as numbers of the operators, and the flags that came before them."""

import warnings
from typing import Optional

from .._library import publish


def get_enum(reduction: str) -> int:
    """The number that operators take for a ``reduction``."""
    if reduction == "none":
        ret = 0
    elif reduction == "mean":
        ret = 1
    elif reduction == "elementwise_mean":
        warnings.warn("reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.")
        ret = 1
    elif reduction == "sum":
        ret = 2
    else:
        ret = -1
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return ret


def legacy_get_string(size_average: Optional[bool], reduce: Optional[bool], emit_warning: bool = True) -> str:
    """The ``reduction`` that ``size_average`` and ``reduce`` mean together."""
    warning = "size_average and reduce args will be deprecated, please use reduction='{}' instead."
    if size_average is None:
        size_average = True
    if reduce is None:
        reduce = True
    if size_average and reduce:
        ret = "mean"
    elif reduce:
        ret = "sum"
    else:
        ret = "none"
    if emit_warning:
        warnings.warn(warning.format(ret))
    return ret


def legacy_get_enum(size_average: Optional[bool], reduce: Optional[bool], emit_warning: bool = True) -> int:
    """The number of the ``reduction`` that ``size_average`` and ``reduce`` mean together."""
    return get_enum(legacy_get_string(size_average, reduce, emit_warning))


publish(globals())
