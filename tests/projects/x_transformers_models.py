"""x-transformers: decoders and encoders with several kinds of attention, training and generation."""
# packages: x-transformers einx
# needs: numpy einops loguru packaging frozendict sympy
import torch
from show import show, steps
from x_transformers import AutoregressiveWrapper, Decoder, Encoder, TransformerWrapper, ViTransformerWrapper

torch.manual_seed(0)
model = TransformerWrapper(num_tokens=40, max_seq_len=32, attn_layers=Decoder(dim=32, depth=2, heads=4, rotary_pos_emb=True, ff_glu=True, use_rmsnorm=True))
ids = torch.randint(0, 40, (2, 16))
show("decoder", model(ids))
wrapper = AutoregressiveWrapper(model)
steps("decoder", wrapper, lambda: wrapper(ids), rate=0.1)
torch.manual_seed(0)
print(wrapper.generate(ids[:, :4], 5).tolist())
show("alibi", TransformerWrapper(num_tokens=40, max_seq_len=32, attn_layers=Encoder(dim=32, depth=1, heads=4, alibi_pos_bias=True))(ids))
show("vit", ViTransformerWrapper(image_size=32, patch_size=8, num_classes=5, attn_layers=Encoder(dim=32, depth=1, heads=4))(torch.randn(1, 3, 32, 32)))
