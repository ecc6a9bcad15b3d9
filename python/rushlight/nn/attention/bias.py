"""``torch.nn.attention.bias``: causal masks for attention, named instead of written out."""

import enum

import rushlight as torch

__all__ = ["causal_upper_left", "causal_lower_right", "CausalVariant", "CausalBias"]


class CausalVariant(enum.IntEnum):
    """To which corner the diagonal goes."""

    UPPER_LEFT = enum.auto()
    LOWER_RIGHT = enum.auto()


class CausalBias(torch.Tensor):
    """A mask in which a query sees the keys before it; the diagonal begins above left or ends below right."""

    def __new__(cls, variant, seq_len_q, seq_len_kv):
        mask = torch.ones(seq_len_q, seq_len_kv, dtype=torch.bool)
        offset = seq_len_kv - seq_len_q if variant == CausalVariant.LOWER_RIGHT else 0
        return torch.Tensor.__new__(cls, mask.tril(diagonal=offset))

    def __init__(self, variant, seq_len_q, seq_len_kv):
        if not isinstance(variant, CausalVariant):
            raise AssertionError(f"variant must be a CausalVariant, got {type(variant).__name__}")
        self.variant = variant
        self.seq_len_q = seq_len_q
        self.seq_len_kv = seq_len_kv
        if seq_len_q > seq_len_kv and variant == CausalVariant.LOWER_RIGHT:
            import warnings

            warnings.warn(
                "Lower right causal bias will produce NaNs in the output when seq_len_q > seq_len_kv!", stacklevel=2
            )

    def _materialize(self, device=None):
        """The mask as a plain tensor."""
        return torch.Tensor(self)

    def __repr__(self):
        return repr(self._materialize())


def causal_upper_left(*size):
    """The mask of so many queries and keys in which the first query sees the first key."""
    if len(size) != 2:
        raise AssertionError("causal_upper_left only supports 2D tensors")
    return CausalBias(CausalVariant.UPPER_LEFT, *size)


def causal_lower_right(*size):
    """The mask of so many queries and keys in which the last query sees all keys."""
    if len(size) != 2:
        raise AssertionError("causal_lower_right only supports 2D tensors")
    return CausalBias(CausalVariant.LOWER_RIGHT, *size)
