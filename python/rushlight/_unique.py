"""``torch.unique`` and ``torch.unique_consecutive``, in the language of scripts.

What is returned depends on which flags are set, so each is several functions, picked when a call is compiled.
"""

from typing import Optional, Tuple

import rushlight as torch

from ._jit_internal import boolean_dispatch
from ._library import publish
from ._rushlight import Tensor


def _different(
    input: Tensor, sorted: bool, return_inverse: bool, return_counts: bool, dim: Optional[int]
) -> Tuple[Tensor, Tensor, Tensor]:
    """The different values; where each element went, and how often each occurs, where that is asked for."""
    if dim is None:
        return torch._unique2(input, sorted, return_inverse, return_counts)
    return torch._VF.unique_dim(input, dim, sorted, return_inverse, return_counts)


def _return_output(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: Optional[int] = None,
) -> Tensor:
    return _different(input, sorted, return_inverse, return_counts, dim)[0]


def _return_inverse(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: Optional[int] = None,
) -> Tuple[Tensor, Tensor]:
    output, inverse, _ = _different(input, sorted, return_inverse, return_counts, dim)
    return output, inverse


def _return_counts(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: Optional[int] = None,
) -> Tuple[Tensor, Tensor]:
    output, _, counts = _different(input, sorted, return_inverse, return_counts, dim)
    return output, counts


def _return_inverse_and_counts(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: Optional[int] = None,
) -> Tuple[Tensor, Tensor, Tensor]:
    return _different(input, sorted, return_inverse, return_counts, dim)


def _consecutive_return_output(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: Optional[int] = None
) -> Tensor:
    return torch._VF.unique_consecutive(input, return_inverse, return_counts, dim)[0]


def _consecutive_return_inverse(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: Optional[int] = None
) -> Tuple[Tensor, Tensor]:
    output, inverse, _ = torch._VF.unique_consecutive(input, return_inverse, return_counts, dim)
    return output, inverse


def _consecutive_return_counts(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: Optional[int] = None
) -> Tuple[Tensor, Tensor]:
    output, _, counts = torch._VF.unique_consecutive(input, return_inverse, return_counts, dim)
    return output, counts


def _consecutive_return_inverse_and_counts(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: Optional[int] = None
) -> Tuple[Tensor, Tensor, Tensor]:
    return torch._VF.unique_consecutive(input, return_inverse, return_counts, dim)


unique = boolean_dispatch(
    "return_counts",
    3,
    False,
    boolean_dispatch(
        "return_inverse", 2, False, _return_inverse_and_counts, _return_counts, "torch.functional", "unique"
    ),
    boolean_dispatch("return_inverse", 2, False, _return_inverse, _return_output, "torch.functional", "unique"),
    "torch.functional",
    "unique",
)
unique_consecutive = boolean_dispatch(
    "return_counts",
    2,
    False,
    boolean_dispatch(
        "return_inverse",
        1,
        False,
        _consecutive_return_inverse_and_counts,
        _consecutive_return_counts,
        "torch.functional",
        "unique_consecutive",
    ),
    boolean_dispatch(
        "return_inverse",
        1,
        False,
        _consecutive_return_inverse,
        _consecutive_return_output,
        "torch.functional",
        "unique_consecutive",
    ),
    "torch.functional",
    "unique_consecutive",
)

publish(globals(), "torch.functional")
