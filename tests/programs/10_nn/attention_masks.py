# attention and transformers: masks of both kinds, padding, unbatched input, cross attention; eager and scripted
import torch
import torch.nn as nn


def show(name, *ts):
    for t in ts:
        if isinstance(t, (tuple, list)):
            show(name, *t)
        elif t is None:
            print(name, None)
        else:
            print(name, tuple(t.shape), [round(float(v), 4) + 0.0 for v in t.detach().flatten()[:12]])


torch.manual_seed(0)
mha = nn.MultiheadAttention(4, 2, batch_first=True)
q = torch.randn(2, 3, 4)
k = torch.randn(2, 5, 4)
pad = torch.tensor([[False, False, False, True, True], [False] * 5])
ahead = torch.triu(torch.ones(3, 5, dtype=torch.bool), 1)
causal = nn.Transformer.generate_square_subsequent_mask(3)
for m in (mha, torch.jit.script(mha)):
    show("self", m(q, q, q))
    show("cross", m(q, k, k))
    show("padding", m(q, k, k, key_padding_mask=pad))
    show("mask", m(q, k, k, attn_mask=ahead))
    show("both", m(q, k, k, attn_mask=ahead, key_padding_mask=pad))
    show("no weights", m(q, k, k, need_weights=False, attn_mask=ahead, key_padding_mask=pad))
    show("each head", m(q, k, k, average_attn_weights=False))
    show("unbatched", m(q[0], q[0], q[0]))
    show("causal", m(q, q, q, attn_mask=causal, is_causal=True, need_weights=False))
    for args in ((q, k, q), (q[0], k, k)):
        try:
            m(*args)
        except Exception as e:
            print(type(e).__name__, str(e).strip().split("\n")[-1])
encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8, batch_first=True), 2).eval()
x = torch.randn(2, 3, 4)
end = torch.tensor([[False, False, True], [False, False, False]])
with torch.no_grad():
    for m in (encoder, torch.jit.script(encoder)):
        show("encoder", m(x))
        show("encoder, padding", m(x, src_key_padding_mask=end))
        show("encoder, mask", m(x, mask=causal))
    whole = nn.Transformer(4, 2, 1, 1, 8, batch_first=True).eval()
    for m in (whole, torch.jit.script(whole)):
        show("transformer", m(x, x, tgt_mask=causal))
