"""vit-pytorch: several vision transformers, traced, trained."""
# packages: vit-pytorch torchvision
# needs: numpy einops pillow
import torch
from show import saved, show, steps
from vit_pytorch import SimpleViT, ViT
from vit_pytorch.cait import CaiT
from vit_pytorch.cct import CCT
from vit_pytorch.deepvit import DeepViT
from vit_pytorch.mobile_vit import MobileViT
from vit_pytorch.pit import PiT

x = torch.randn(1, 3, 64, 64, generator=torch.Generator().manual_seed(3))
small = dict(image_size=64, patch_size=16, num_classes=5, dim=32, depth=2, heads=2, mlp_dim=32)
torch.manual_seed(0)
model = ViT(**small)
show("vit", model(x))
show("simple", SimpleViT(**small)(x))
show("deep", DeepViT(**small)(x))
show("cait", CaiT(**small, cls_depth=1)(x))
show("cct", CCT(img_size=64, embedding_dim=32, n_conv_layers=1, num_layers=1, num_heads=2, mlp_ratio=1.0, num_classes=5)(x))
show("mobile", MobileViT(image_size=(64, 64), dims=[16, 24, 32], channels=[8, 8, 8, 8, 16, 16, 16, 16, 16, 16, 32], num_classes=5).eval()(x))
show("traced", saved(torch.jit.trace(model.eval(), x))(x))
steps("vit", model, lambda: model(x).pow(2).sum())
