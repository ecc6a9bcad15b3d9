"""lpips: the distance of images by a network with random weights."""
# packages: lpips torchvision
# needs: numpy scipy tqdm pillow
import lpips
import torch
from show import show

torch.manual_seed(0)
model = lpips.LPIPS(pretrained=False, pnet_rand=True, net="squeeze", verbose=False).eval()
a, b = torch.rand(2, 3, 64, 64) * 2 - 1, torch.rand(2, 3, 64, 64) * 2 - 1
with torch.no_grad():
    show("distance", model(a, b))
