"""More small packages of one author: Nystrom attention, H-Transformer, Reformer, X-CLIP, TabTransformer; and Mamba in plain PyTorch."""
# packages: nystrom-attention h-transformer-1d reformer-pytorch product-key-memory local-attention axial-positional-embedding colt5-attention rotary-embedding-torch x-clip tab-transformer-pytorch hyper-connections torch-einops-utils x-mlps-pytorch discrete-continuous-embed-readout mambapy
# needs: numpy einops ftfy regex beartype loguru packaging einx
import torch
from h_transformer_1d import HTransformer1D
from mambapy.mamba import Mamba, MambaConfig
from nystrom_attention import Nystromformer, NystromAttention
from reformer_pytorch import LSHSelfAttention, ReformerLM
from show import saved, show, steps
from tab_transformer_pytorch import FTTransformer, TabTransformer
from x_clip import CLIP

torch.manual_seed(0)
x = torch.randn(1, 32, 16)
attention = NystromAttention(dim=16, dim_head=8, heads=2, num_landmarks=8).eval()
show("nystrom", attention(x))
show("nystrom masked", attention(x, mask=torch.arange(32)[None] < 20))
former = Nystromformer(dim=16, dim_head=8, heads=2, depth=2, num_landmarks=8)
steps("nystromformer", former, lambda: former(x).square().mean())
h = HTransformer1D(num_tokens=50, dim=16, causal=True, max_seq_len=64, depth=1, heads=2, dim_head=8, block_size=16).eval()
show("h", h(torch.arange(64)[None] % 50))
show("lsh", LSHSelfAttention(dim=16, heads=2, bucket_size=8, n_hashes=2, causal=True).eval()(x))
reformer = ReformerLM(num_tokens=30, dim=16, depth=2, max_seq_len=32, heads=2, bucket_size=8, n_hashes=2, ff_chunks=2, causal=True)
words = torch.randint(0, 30, (2, 32))
torch.manual_seed(1)
steps("reformer", reformer, lambda: torch.nn.functional.cross_entropy(reformer(words).transpose(1, 2), words))
clip = CLIP(
    dim_text=16,
    dim_image=16,
    dim_latent=16,
    num_text_tokens=40,
    text_enc_depth=1,
    text_seq_len=12,
    text_heads=2,
    text_dim_head=8,
    visual_enc_depth=1,
    visual_image_size=16,
    visual_patch_size=8,
    visual_heads=2,
    visual_dim_head=8,
    visual_patch_dropout=0.0,
    use_all_token_embeds=True,
)
text, image = torch.randint(1, 40, (3, 12)), torch.randn(3, 3, 16, 16)
steps("x-clip", clip, lambda: clip(text, image, return_loss=True))
tab = TabTransformer(
    categories=(4, 5), num_continuous=3, dim=8, dim_out=1, depth=1, heads=2, mlp_act=torch.nn.ReLU(), attn_dropout=0.0, ff_dropout=0.0
)
kinds, numbers = torch.randint(0, 4, (6, 2)), torch.randn(6, 3)
steps("tab", tab, lambda: tab(kinds, numbers).square().mean())
ft = FTTransformer(categories=(4, 5), num_continuous=3, dim=8, dim_out=1, depth=1, heads=2, attn_dropout=0.0, ff_dropout=0.0)
steps("ft", ft, lambda: ft(kinds, numbers).square().mean())
mamba = Mamba(MambaConfig(d_model=16, n_layers=2, d_state=4))
steps("mamba", mamba, lambda: mamba(x).square().mean())
plain = Mamba(MambaConfig(d_model=16, n_layers=1, d_state=4, pscan=False)).eval()
show("mamba", plain(x))
show("traced", saved(torch.jit.trace(plain, x))(x))
caches = [(None, torch.zeros(1, 32, 3))]
for i in range(3):
    out, caches = plain.step(x[:, i], caches)
show("step", out)
