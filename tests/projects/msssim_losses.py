"""pytorch-msssim and piq: measures of likeness of images, and their gradients."""
# packages: pytorch-msssim piq torchvision
# needs: numpy pillow
import piq
import torch
from pytorch_msssim import MS_SSIM, SSIM, ms_ssim, ssim
from show import show

torch.manual_seed(0)
a = torch.rand(1, 3, 192, 192, requires_grad=True)
b = torch.rand(1, 3, 192, 192)
show("ssim", ssim(a, b, data_range=1.0))
show("ms_ssim", ms_ssim(a, b, data_range=1.0))
SSIM(data_range=1.0)(a, b).backward()
show("gradient", a.grad)
show("psnr", piq.psnr(a.detach(), b))
show("gmsd", piq.gmsd(a.detach(), b))
show("tv", piq.total_variation(b))
show("fsim", piq.fsim(a.detach(), b))
