"""How ``linear_cross_entropy`` goes through a batch piece by piece."""

import dataclasses
from typing import Literal, Optional

from ..._rushlight import dtype

__all__ = ["LinearCrossEntropyOptions"]


@dataclasses.dataclass
class LinearCrossEntropyOptions:
    """Asks ``linear_cross_entropy`` to take a batch in pieces, so that never all logits are in memory at once.

    ``batch_chunk_size`` is the number of rows in a piece; without it, as many as a row has
    features, so that the logits of a piece take no more room than the weight.
    ``allow_retain_graph`` keeps the gradients for further backward passes over the same result.
    """

    allow_retain_graph: bool = False
    batch_chunk_size: Optional[int] = None
    chunking_method: Optional[str] = "auto"
    acc_policy: Literal["accurate", "compact", "auto"] = "auto"
    acc_dtype: Optional[dtype] = None

    def __post_init__(self):
        if self.chunking_method not in ("auto", "batch", None):
            raise ValueError(f"invalid chunking_method: {self.chunking_method!r}")
        if self.acc_policy not in ("auto", "accurate", "compact"):
            raise ValueError(f"invalid acc_policy: {self.acc_policy!r}; expected one of 'auto', 'accurate', 'compact'")

    def rows(self, features):
        """How many rows of a batch go together."""
        return max(1, features if self.batch_chunk_size is None else self.batch_chunk_size)
