"""Small packages of one author: attention of several kinds, rotary positions, averages of weights, diffusion, quantised vectors."""
# packages: local-attention rotary-embedding-torch ema-pytorch performer-pytorch axial-positional-embedding linformer axial-attention hyper-connections torch-einops-utils vector-quantize-pytorch
# needs: loguru numpy einops einx packaging
import torch
from axial_attention import AxialAttention
from ema_pytorch import EMA
from linformer import Linformer
from local_attention import LocalAttention
from performer_pytorch import Performer
from rotary_embedding_torch import RotaryEmbedding
from show import show
from vector_quantize_pytorch import FSQ, VectorQuantize

torch.manual_seed(0)
q = torch.randn(2, 4, 32, 16)
show("local", LocalAttention(dim=16, window_size=8, causal=True)(q, q, q))
show("rotary", RotaryEmbedding(dim=16).rotate_queries_or_keys(q))
show("performer", Performer(dim=32, depth=1, heads=2, dim_head=16).eval()(torch.randn(1, 16, 32)))
show("linformer", Linformer(dim=32, seq_len=16, depth=1, heads=2, k=8)(torch.randn(1, 16, 32)))
show("axial", AxialAttention(dim=8, dim_index=1, heads=2, num_dimensions=2)(torch.randn(1, 8, 6, 6)))
net = torch.nn.Linear(2, 2)
ema = EMA(net, beta=0.9, update_after_step=0, update_every=1)
with torch.no_grad():
    net.weight.add_(1)
ema.update()
show("ema", ema(torch.ones(1, 2)))
show("fsq", FSQ([4, 4, 4])(torch.randn(1, 5, 3)))
quantised, indices, loss = VectorQuantize(dim=8, codebook_size=16).eval()(torch.randn(1, 6, 8))
show("vq", [quantised, indices, loss])
