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
    return torch.unique_dim(input, dim, sorted, return_inverse, return_counts)


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


def _by_flags(name, prefix, first):
    """The function of a name; `first` is where its flags begin."""
    here = globals()

    def by_inverse(with_inverse, without):
        return boolean_dispatch(
            "return_inverse", first, False, here[prefix + with_inverse], here[prefix + without], "torch.functional", name
        )

    with_counts = by_inverse("_return_inverse_and_counts", "_return_counts")
    without = by_inverse("_return_inverse", "_return_output")
    return boolean_dispatch("return_counts", first + 1, False, with_counts, without, "torch.functional", name)


unique = _by_flags("unique", "", 2)
unique_consecutive = _by_flags("unique_consecutive", "_consecutive", 1)

publish(globals(), "torch.functional")
