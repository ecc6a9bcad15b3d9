"""denoising-diffusion-pytorch: a small U-Net, its loss and samples."""
# packages: denoising-diffusion-pytorch ema-pytorch accelerate torchvision pytorch-fid
# needs: numpy einops tqdm scipy pillow packaging psutil pyyaml safetensors huggingface_hub
import torch
from denoising_diffusion_pytorch import GaussianDiffusion, Unet
from show import show

torch.manual_seed(0)
model = Unet(dim=16, dim_mults=(1, 2), flash_attn=False)
diffusion = GaussianDiffusion(model, image_size=16, timesteps=20, sampling_timesteps=3)
loss = diffusion(torch.rand(2, 3, 16, 16))
loss.backward()
show("loss", loss)
show("gradient", model.init_conv.weight.grad)
torch.manual_seed(1)
show("sample", diffusion.sample(batch_size=1))
