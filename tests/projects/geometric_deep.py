"""egnn-pytorch, se3-transformer-pytorch, perceiver-pytorch, slot-attention, siren-pytorch: further layers."""
# packages: egnn-pytorch perceiver-pytorch siren-pytorch hyper-connections torch-einops-utils
# needs: numpy einops einx
import torch
from egnn_pytorch import EGNN
from perceiver_pytorch import Perceiver
from show import show, steps
from siren_pytorch import SirenNet

torch.manual_seed(0)
feats, coors = EGNN(dim=8)(torch.randn(1, 6, 8), torch.randn(1, 6, 3))
show("egnn", [feats, coors])
net = SirenNet(dim_in=2, dim_hidden=16, dim_out=1, num_layers=2)
x = torch.rand(10, 2)
steps("siren", net, lambda: net(x).pow(2).mean())
perceiver = Perceiver(input_channels=3, input_axis=2, num_freq_bands=2, max_freq=4.0, depth=1, num_latents=4, latent_dim=8, num_classes=3, cross_heads=1, latent_heads=2, cross_dim_head=4, latent_dim_head=4)
show("perceiver", perceiver(torch.randn(1, 6, 6, 3)))
