"""efficientnet_pytorch, entmax, pytorch-crf, loralib, conformer: layers of others."""
# packages: efficientnet_pytorch entmax pytorch-crf loralib conformer
# needs: numpy einops
import loralib
import torch
from conformer import Conformer
from efficientnet_pytorch import EfficientNet
from entmax import entmax15, sparsemax
from show import show
from torchcrf import CRF

torch.manual_seed(0)
net = EfficientNet.from_name("efficientnet-b0", num_classes=4).eval()
with torch.no_grad():
    show("efficientnet", net(torch.randn(1, 3, 64, 64)))
x = torch.randn(3, 6, requires_grad=True)
show("entmax", entmax15(x, dim=-1))
show("sparsemax", sparsemax(x, dim=-1))
crf = CRF(4, batch_first=True)
emissions = torch.randn(2, 5, 4)
show("crf", crf(emissions, torch.randint(0, 4, (2, 5))))
print(crf.decode(emissions))
show("lora", loralib.Linear(4, 3, r=2)(torch.randn(2, 4)))
show("conformer", Conformer(dim=16, depth=1, dim_head=8, heads=2, ff_mult=2, conv_expansion_factor=2, conv_kernel_size=7).eval()(torch.randn(1, 10, 16)))
