"""monai: networks, losses and transforms of medical images."""
# packages: monai
# needs: numpy
import torch
from monai.losses import DiceCELoss
from monai.networks.nets import UNet
from show import saved, show, steps

torch.manual_seed(0)
net = UNet(spatial_dims=3, in_channels=1, out_channels=2, channels=(4, 8), strides=(2,), num_res_units=1)
x, y = torch.randn(1, 1, 16, 16, 16), torch.randint(0, 2, (1, 1, 16, 16, 16))
show("unet", net(x))
loss = DiceCELoss(to_onehot_y=True, softmax=True)
steps("unet", net, lambda: loss(net(x), y))
show("script", saved(torch.jit.script(net.eval()))(x))
