"""flex_attention and its masks: blocks, pictures, scores of one's own, groups of heads, what is refused; causal biases."""
import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, list_flash_attention_impls, sdpa_kernel
from torch.nn.attention.bias import CausalVariant, causal_lower_right, causal_upper_left
from torch.nn.attention.flex_attention import (
    AuxOutput, AuxRequest, BlockMask, and_masks, create_block_mask, create_mask, flex_attention, noop_mask, or_masks,
)


def tell(what, f):
    try:
        print(what, f())
    except Exception as e:
        print(what, type(e).__name__, str(e).split("\n")[0])


def close(a, b):
    return bool((a - b).abs().max() < 1e-4)


def causal(b, h, q, kv):
    return q >= kv


def sliding(b, h, q, kv):
    return (q - kv <= 64) & (q >= kv)


torch.manual_seed(0)
query, key, value = (torch.randn(2, 4, 64, 8) for _ in range(3))
mask = create_block_mask(causal, None, None, 64, 64, device="cpu", BLOCK_SIZE=32)
print(mask)
print(repr(mask))
print(mask.shape, mask.sparsity(), mask.numel(), mask.BLOCK_SIZE, mask.seq_lengths, len(mask.as_tuple()))
for name in ("kv_num_blocks", "kv_indices", "full_kv_num_blocks", "full_kv_indices", "q_num_blocks", "q_indices", "full_q_num_blocks"):
    print(name, getattr(mask, name))
print(mask.to_dense())
for size in (20, 21, 50):
    print(create_block_mask(causal, None, None, 8 * size, 8 * size, device="cpu", BLOCK_SIZE=8))
wide = create_block_mask(sliding, 1, 2, 300, 200, device="cpu", BLOCK_SIZE=(32, 16))
print(wide, wide.shape, wide.sparsity())
print(create_block_mask(sliding, 1, 1, 600, 400, device="cpu", BLOCK_SIZE=16).to_string(grid_size=(10, 7)))
several = create_block_mask(causal, 2, 3, 64, 64, device="cpu", BLOCK_SIZE=32)
print(several)
print(several[0, 1].shape, several[0:1].shape, several[:, :, 0].kv_num_blocks, several[0, 1, 1].seq_lengths)
tell("sliced", lambda: several[0].mask_mod(0, 0, 0, 0))
tell("four", lambda: several[0, 0, 0, 0])
print(several._adjust(20, 50).shape, several._adjust(20, 50).kv_num_blocks)
print(BlockMask.from_kv_blocks(torch.tensor([[[1, 2]]], dtype=torch.int32), torch.tensor([[[[0, 1], [0, 1]]]], dtype=torch.int32), BLOCK_SIZE=64))

print(close(flex_attention(query, key, value), F.scaled_dot_product_attention(query, key, value)))
print(close(flex_attention(query, key, value, block_mask=mask), F.scaled_dot_product_attention(query, key, value, is_causal=True)))
out, lse = flex_attention(query, key, value, return_lse=True)
print(close(lse, (query @ key.mT / 8**0.5).logsumexp(-1)), lse.shape)
slopes = torch.exp2(-torch.arange(1.0, 5.0))


def alibi(score, b, h, q, kv):
    return score + slopes[h] * (kv - q)


distance = torch.arange(64)[None, :] - torch.arange(64)[:, None]
print(close(flex_attention(query, key, value, score_mod=alibi), F.scaled_dot_product_attention(query, key, value, slopes[:, None, None] * distance)))
table = torch.randn(64, 64)
print(close(flex_attention(query, key, value, score_mod=lambda s, b, h, i, j: s + table[i, j]), F.scaled_dot_product_attention(query, key, value, table)))
soft = flex_attention(query, key, value, score_mod=lambda s, b, h, i, j: 5 * torch.tanh(s / 5), block_mask=mask)
scores = (5 * torch.tanh(query @ key.mT / 8**0.5 / 5)).masked_fill(distance > 0, -torch.inf)
print(close(soft, scores.softmax(-1) @ value))
grouped = flex_attention(query, key[:, :2], value[:, :2], enable_gqa=True, scale=0.5)
print(close(grouped, F.scaled_dot_product_attention(query, key[:, :2], value[:, :2], scale=0.5, enable_gqa=True)))
document = torch.tensor([0] * 20 + [1] * 44)
docs = create_block_mask(and_masks(causal, lambda b, h, q, kv: document[q] == document[kv]), None, None, 64, 64, device="cpu", BLOCK_SIZE=16)
print(docs)
seen = (document[:, None] == document[None]) & (distance <= 0)
print(close(flex_attention(query, key, value, block_mask=docs), F.scaled_dot_product_attention(query, key, value, seen)))
blind = create_block_mask(lambda b, h, q, kv: q < 0, None, None, 64, 64, device="cpu", BLOCK_SIZE=32)
out, lse = flex_attention(query, key, value, block_mask=blind, return_lse=True)
print(out.abs().sum(), lse[0, 0, :2])
out, aux = flex_attention(query, key, value, return_aux=AuxRequest(lse=True))
print(type(aux).__name__, aux.lse.shape, aux.max_scores, AuxOutput(), AuxRequest())

print(create_mask(causal, None, None, 3, 4, device="cpu"))
print(create_mask(lambda s, b, h, q, kv: torch.where(q == kv, s, -float("inf")), 1, 2, 2, 2, device="cpu"))
print(create_mask(or_masks(causal, lambda b, h, q, kv: kv < 2), 1, 1, 3, 3, device="cpu"))
print(create_mask(noop_mask, 1, 1, 2, 2, device="cpu"))

tell("heads", lambda: flex_attention(query, key[:, :2], value[:, :2]))
tell("heads", lambda: flex_attention(query, key[:, :3], value[:, :3], enable_gqa=True))
tell("dims", lambda: flex_attention(query[0], key, value))
tell("sizes", lambda: flex_attention(query, key[..., :4], value))
tell("batch", lambda: flex_attention(query[:1], key, value))
tell("long", lambda: flex_attention(query[:, :, :50], key, value, block_mask=mask))
tell("short", lambda: flex_attention(torch.cat([query, query], 2), key, value, block_mask=mask))
tell("max", lambda: flex_attention(query, key, value, return_aux=AuxRequest(max_scores=True)))
tell("both", lambda: flex_attention(query, key, value, return_lse=True, return_aux=AuxRequest()))
tell("mask", lambda: create_block_mask(lambda b, h: True, 1, 1, 8, 8, device="cpu"))
tell("mask", lambda: create_block_mask(lambda b, h, i, j: True, 1, 1, 8, 8, device="cpu"))
tell("mask", lambda: create_block_mask(lambda b, h, i, j: (i - j).float(), 1, 1, 8, 8, device="cpu"))
tell("mask", lambda: create_block_mask(lambda b, h, i, j: True if i > j else False, 1, 1, 8, 8, device="cpu"))

upper, lower = causal_upper_left(4, 6), causal_lower_right(4, 6)
print(repr(upper), lower._materialize(), type(upper).__name__, upper.variant, lower.seq_len_q, CausalVariant.LOWER_RIGHT)
q, k, v = torch.randn(1, 2, 4, 8), torch.randn(1, 2, 6, 8), torch.randn(1, 2, 6, 8)
print(close(F.scaled_dot_product_attention(q, k, v, attn_mask=lower), F.scaled_dot_product_attention(q, k, v, lower._materialize())))
print(close(F.scaled_dot_product_attention(q, k, v, attn_mask=upper), F.scaled_dot_product_attention(q, k, v, is_causal=True)))
tell("bias", lambda: causal_upper_left(4))
with sdpa_kernel([SDPBackend.MATH, SDPBackend.FLASH_ATTENTION], set_priority=True):
    print(close(F.scaled_dot_product_attention(q, k, v), F.scaled_dot_product_attention(q, k, v)))
tell("kernel", lambda: sdpa_kernel("math").__enter__())
print(SDPBackend.MATH, repr(SDPBackend(1)), int(SDPBackend.MATH), SDPBackend.MATH == 0, list(SDPBackend.__members__), list_flash_attention_impls())
