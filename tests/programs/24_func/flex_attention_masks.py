"""flex_attention: prefixes, lengths, neighbourhoods, biases of heads, decoding with an offset."""
import torch
from torch.nn.attention.flex_attention import flex_attention, create_block_mask, BlockMask, create_mask, and_masks
import torch.nn.functional as F, torch.nn as nn
torch.manual_seed(0)
B, H, S, D = (2, 2, 32, 8)
q, k, v = (torch.randn(B, H, S, D) for _ in range(3))
prefix = torch.tensor([5, 9])
def prefix_mask(b, h, qi, ki):
    return (ki < prefix[b]) | (qi >= ki)
lens = torch.tensor([20, 32])
def padm(b, h, qi, ki):
    return ki < lens[b]
W = 4
def natten(b, h, qi, ki):
    return ((qi // 8 - ki // 8).abs() <= 1) & ((qi % 8 - ki % 8).abs() <= 1)
head_on = torch.tensor([True, False])
def perhead(b, h, qi, ki):
    return torch.where(head_on[h], qi >= ki, qi <= ki)
for m in (prefix_mask, padm, natten, perhead, and_masks(prefix_mask, padm)):
    bm = create_block_mask(m, B, H, S, S, device='cpu', BLOCK_SIZE=16)
    dense = create_mask(m, B, H, S, S, device='cpu')
    print(bm.shape, round(bm.sparsity(), 2), bm.to_dense().sum().item(), torch.allclose(flex_attention(q, k, v, block_mask=bm), F.scaled_dot_product_attention(q, k, v, dense), atol=1e-05))
def softcap(s, b, h, qi, ki):
    return 3 * torch.tanh(s / 3)
def relb(s, b, h, qi, ki):
    return s + tbl[h, qi - ki + S - 1]
tbl = torch.randn(H, 2 * S - 1)
idx = torch.arange(S)[:, None] - torch.arange(S)[None] + S - 1
print(torch.allclose(flex_attention(q, k, v, score_mod=relb), F.scaled_dot_product_attention(q, k, v, tbl[:, idx]), atol=1e-05))
def comp(s, b, h, qi, ki):
    return relb(softcap(s, b, h, qi, ki), b, h, qi, ki)
print(f"{flex_attention(q, k, v, score_mod=comp, block_mask=create_block_mask(prefix_mask, B, None, S, S, device='cpu', BLOCK_SIZE=8)).sum():.3f}")
def causal(b, h, qi, ki):
    return qi >= ki
full = create_block_mask(causal, None, None, S, S, device='cpu', BLOCK_SIZE=8)
pos = 20
def offset(mask, off):

    def inner(b, h, qi, ki):
        return mask(b, h, qi + off, ki)
    return inner
one = full[:, :, pos // 8]
one.mask_mod = offset(causal, pos)
one.seq_lengths = (1, S)
print(one.shape, torch.allclose(flex_attention(q[:, :, pos:pos + 1], k, v, block_mask=one), F.scaled_dot_product_attention(q, k, v, is_causal=True)[:, :, pos:pos + 1], atol=1e-05))
class Att(nn.Module):

    def __init__(s):
        super().__init__()
        s.p = nn.Linear(16, 48)
        s.o = nn.Linear(16, 16)

    def forward(s, x, bm=None):
        q, k, v = s.p(x).view(*x.shape[:2], 3, 2, 8).permute(2, 0, 3, 1, 4)
        return s.o(flex_attention(q, k, v, block_mask=bm).transpose(1, 2).flatten(2))
a = Att()
with torch.no_grad():
    o = a(torch.randn(2, 32, 16), full)
    print(o.shape, f'{o.sum():.3f}')
print(BlockMask.from_kv_blocks(*[full.kv_num_blocks, full.kv_indices, full.full_kv_num_blocks, full.full_kv_indices], BLOCK_SIZE=8, mask_mod=causal).to_dense().equal(full.to_dense()))
print(full.kv_num_blocks.dtype, full.q_num_blocks, full.full_q_num_blocks)
for bs in (8, (8, 16), (16, 8), 32):
    b = create_block_mask(causal, None, None, 40, 24, device='cpu', BLOCK_SIZE=bs)
    print(b.BLOCK_SIZE, b.kv_num_blocks.tolist(), b.full_kv_num_blocks.tolist(), b.kv_indices.shape, b.sparsity())
