"""``torch.nn.attention.flex_attention``: attention whose scores and masks a program defines, computed as it reads.

Scores of all pairs are computed and masked; blocks that are not needed save no work here.
"""

import inspect
import math
import typing

import rushlight as torch

from ..._functorch.apis import vmap
from ._block_mask import _DEFAULT_SPARSE_BLOCK_SIZE, BlockMask, noop_mask, ordered as _dense_to_ordered

__all__ = [
    "BlockMask", "flex_attention", "AuxOutput", "AuxRequest", "FlexKernelOptions", "create_block_mask", "create_mask", "or_masks",
    "and_masks", "noop_mask",
]

_LARGE_SPARSE_BLOCK_SIZE = 1 << 30
_mask_mod_signature = typing.Callable[[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor]
_score_mod_signature = typing.Callable[[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor]
_TOO_SMALL = (
    "block_mask was created for a smaller length than you're using it for, you likely need to create a new block mask."
)
_TOO_LARGE = (
    "block_mask was created for a larger length than you're using it for, you can either 1. create a new block mask with the correct "
    "length, or 2. 'adjust' the existing block mask to the correct length by calling block_mask._adjust(q_len, kv_len). This "
    "essentially 'crops' the block mask to the upper left corner, which does not work for all mask_mods!"
)


class AuxRequest(typing.NamedTuple):
    """What :func:`flex_attention` is to return besides."""

    lse: bool = False
    max_scores: bool = False


class AuxOutput(typing.NamedTuple):
    """What :func:`flex_attention` returns besides."""

    lse: typing.Any = None
    max_scores: typing.Any = None


class FlexKernelOptions(typing.TypedDict, total=False):
    """Choices for kernels on GPUs; none has an effect here."""

    num_warps: int
    num_stages: int
    BLOCK_M: int
    BLOCK_N: int
    BACKEND: str


def _is_score_mod(function):
    """Whether a function takes a score before the four numbers."""
    count = sum(
        1 for p in inspect.signature(function).parameters.values() if p.default is inspect.Parameter.empty
        and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    )
    if count not in (4, 5):
        raise AssertionError(f"Expected 4 or 5 positional args, got {count}")
    return count == 5


def _vmap_for_bhqkv(fn, prefix, suffix=(), out_dims=0, group_dim=False):
    """A function of one pair of a head, called for all pairs: batch, head, query, key."""
    patterns = [(None, None, None, 0), (None, None, 0, None), (None, 0, None, None), (0, None, None, None)]
    if group_dim:
        patterns.insert(2, (None, 0, None, None))
    for dims in patterns:
        fn = vmap(fn, in_dims=prefix + dims + suffix, out_dims=out_dims)
    return fn


def _numbers(B, H, Q, KV):
    return torch.arange(B), torch.arange(H), torch.arange(Q), torch.arange(KV)


def create_mask(mod_fn, B, H, Q_LEN, KV_LEN, device=None):
    """The whole mask ``[B, H, Q_LEN, KV_LEN]`` of a rule: for a rule of scores, where these are not minus infinity."""
    B, H = B or 1, H or 1
    numbers = _numbers(B, H, Q_LEN, KV_LEN)
    if _is_score_mod(mod_fn):
        scores = torch.zeros(B, H, Q_LEN, KV_LEN)
        return ~torch.isneginf(_vmap_for_bhqkv(mod_fn, (0,))(scores, *numbers))
    return _vmap_for_bhqkv(mod_fn, ())(*numbers)


def _rounded_up(number, multiple):
    return (number + multiple - 1) // multiple * multiple


def create_block_mask(
    mask_mod, B, H, Q_LEN, KV_LEN, device=None, BLOCK_SIZE=_DEFAULT_SPARSE_BLOCK_SIZE, _compile=False, separate_full_blocks=True,
    compute_dq_write_order=False, dq_kv_order=True,
):
    """The blocks that a rule leaves something of.

    Args:
        mask_mod: ``mask_mod(b, h, q, kv)`` says whether a query sees a key; its arguments are single numbers.
        B, H: how many batches and heads the rule tells apart; None for one rule for all.
        Q_LEN, KV_LEN: how many queries and keys there are.
        BLOCK_SIZE: the size of a block, or sizes for queries and keys.
        separate_full_blocks: keep blocks that are seen whole apart.
    """
    if _is_score_mod(mask_mod):
        raise AssertionError("create-block_mask requires a mask_mod function!")
    if isinstance(BLOCK_SIZE, int):
        BLOCK_SIZE = (BLOCK_SIZE, BLOCK_SIZE)
    rows, columns = BLOCK_SIZE
    mask = create_mask(mask_mod, B, H, Q_LEN, KV_LEN)
    if mask.dtype != torch.bool:
        raise AssertionError(f"mask.dtype must be torch.bool, got {mask.dtype}")
    partial, full = _convert_mask_to_block_mask(mask, rows, columns, separate_full_blocks)
    found = [*_dense_to_ordered(partial), *(_dense_to_ordered(full) if full is not None else (None, None))]
    return BlockMask.from_kv_blocks(*found, BLOCK_SIZE=BLOCK_SIZE, mask_mod=mask_mod, seq_lengths=(Q_LEN, KV_LEN))


def _convert_mask_to_block_mask(mask, Q_BLOCK_SIZE=128, KV_BLOCK_SIZE=128, separate_full_blocks=False):
    """Where blocks of a mask are seen in part, and where whole (None unless they are kept apart)."""
    B, H, Q, KV = mask.shape
    more_rows, more_columns = _rounded_up(Q, Q_BLOCK_SIZE) - Q, _rounded_up(KV, KV_BLOCK_SIZE) - KV
    mask = torch.nn.functional.pad(mask.to(torch.uint8), (0, more_columns, 0, more_rows))
    rows, columns = (Q + more_rows) // Q_BLOCK_SIZE, (KV + more_columns) // KV_BLOCK_SIZE
    blocks = mask.view(B, H, rows, Q_BLOCK_SIZE, columns, KV_BLOCK_SIZE).permute(0, 1, 2, 4, 3, 5)
    count = blocks.sum(dim=(-2, -1))
    if not separate_full_blocks:
        return (count > 0).to(torch.int8), None
    whole = count == Q_BLOCK_SIZE * KV_BLOCK_SIZE
    return ((count > 0) & ~whole).to(torch.int8), whole.to(torch.int8)


def _convert_block_mask_to_mask(block_mask, KV_BLOCK_SIZE=128, Q_BLOCK_SIZE=128):
    """Ones for blocks as ones for their elements."""
    return block_mask.repeat_interleave(Q_BLOCK_SIZE, -2).repeat_interleave(KV_BLOCK_SIZE, -1)


def _create_empty_block_mask(query, key):
    """One block for all queries and keys."""
    return BlockMask.from_kv_blocks(
        torch.ones(1, 1, 1, dtype=torch.int32), torch.zeros(1, 1, 1, 1, dtype=torch.int32), BLOCK_SIZE=_LARGE_SPARSE_BLOCK_SIZE,
        seq_lengths=(1, 1),
    )


def _all_callable(mask_mods):
    if not all(callable(m) for m in mask_mods):
        raise RuntimeError(f"All inputs should be callable mask_mods: {mask_mods}")


def or_masks(*mask_mods):
    """A rule that holds where one of the rules does."""
    _all_callable(mask_mods)

    def or_mask(b, h, q_idx, kv_idx):
        result = b.new_zeros((), dtype=torch.bool)
        for mask in mask_mods:
            result = result | mask(b, h, q_idx, kv_idx)
        return result

    return or_mask


def and_masks(*mask_mods):
    """A rule that holds where all of the rules do."""
    _all_callable(mask_mods)

    def and_mask(b, h, q_idx, kv_idx):
        result = b.new_ones((), dtype=torch.bool)
        for mask in mask_mods:
            result = result & mask(b, h, q_idx, kv_idx)
        return result

    return and_mask


def _check(query, key, value, block_mask, enable_gqa):
    if query.dim() != 4 or key.dim() != 4 or value.dim() != 4:
        raise NotImplementedError("NYI: query, key, and value must be 4D tensors")
    if query.size(-1) != key.size(-1):
        raise ValueError(
            f"Expect query and key/value to have the same embedding dimension but got E={query.size(-1)} and E={key.size(-1)}."
        )
    heads, kv_heads = query.size(-3), key.size(-3)
    if not enable_gqa and heads != kv_heads:
        raise ValueError(
            f"Expect query and key/value to have the same number of heads but got Hq={heads} and Hkv={kv_heads}. Try setting "
            "enable_gqa=True for GQA."
        )
    if enable_gqa and heads % kv_heads:
        raise ValueError(
            f"Expect number of query heads to be a multiple of kv heads for GQA but got Hq={heads} and Hkv={kv_heads}."
        )
    if query.size(0) != key.size(0) and block_mask is None:
        raise ValueError(
            "Expect query and key/value to have the same batch size, or non-none block_mask, but got block_mask=None, "
            f"Bq={query.size(0)}, and Bkv={key.size(0)}."
        )


def flex_attention(
    query, key, value, score_mod=None, block_mask=None, scale=None, enable_gqa=False, return_lse=False, kernel_options=None, *,
    return_aux=None,
):
    """Attention with scores and a mask of one's own: ``softmax(score_mod(query @ key.T * scale)) @ value``.

    Args:
        query: ``[B, Hq, L, E]``; key: ``[B, Hkv, S, E]``; value: ``[B, Hkv, S, Ev]``.
        score_mod: ``score_mod(score, b, h, q, kv)`` gives another score; its arguments are single numbers.
        block_mask: who sees whom (:func:`create_block_mask`).
        scale: the factor of scores; one by the root of E unless given.
        enable_gqa: several heads of queries share one of keys.
        return_lse: return the logarithms of the sums of exponentials too.
        return_aux: what else to return, an :class:`AuxRequest`.

    A query that sees no key gets zeros.
    """
    if return_lse and return_aux is not None:
        raise ValueError(
            "Cannot specify both return_lse and return_aux. return_lse is deprecated, please use return_aux=AuxRequest(lse=True) instead."
        )
    _check(query, key, value, block_mask, enable_gqa)
    if return_aux is not None and return_aux.max_scores:
        raise NotImplementedError("Returning max scores is not supported on CPU.")
    mask_mod = noop_mask
    if block_mask is not None:
        if block_mask.BLOCK_SIZE[0] != _LARGE_SPARSE_BLOCK_SIZE:
            _check_lengths(block_mask, query.size(-2), key.size(-2))
        mask_mod = block_mask.mask_mod
    scale = 1.0 / math.sqrt(query.size(-1)) if scale is None else scale
    B, H, L, _ = query.shape
    S = key.size(-2)
    if H != key.size(1):
        key, value = (t.repeat_interleave(H // key.size(1), 1) for t in (key, value))
    wide = torch.float64 if query.dtype == torch.float64 else torch.float32
    scores = (query.to(wide) @ key.to(wide).transpose(-2, -1)) * scale
    numbers = _numbers(B, H, L, S)
    if score_mod is not None:
        scores = _vmap_for_bhqkv(score_mod, (0,))(scores, *numbers).to(wide)
    if mask_mod is not noop_mask:
        seen = _vmap_for_bhqkv(mask_mod, ())(*numbers)
        scores = torch.where(seen, scores, -math.inf)
    lse = scores.logsumexp(-1)
    # A query that sees nothing has weights of zero instead of none.
    blind = torch.isneginf(lse)
    weights = torch.where(blind.unsqueeze(-1), 0.0, torch.softmax(torch.where(blind.unsqueeze(-1), 0.0, scores), -1))
    out = (weights @ value.to(wide)).to(query.dtype)
    if return_lse:
        return out, lse
    if return_aux is not None:
        return out, AuxOutput(lse=lse if return_aux.lse else None)
    return out


def _check_lengths(block_mask, queries, keys):
    q_length, kv_length = block_mask.seq_lengths
    if q_length < queries or kv_length < keys:
        raise RuntimeError(_TOO_SMALL)
    if q_length > queries or kv_length > keys:
        raise RuntimeError(_TOO_LARGE)
