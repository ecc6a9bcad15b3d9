"""diffusers: a UNet and a VAE from configurations, schedulers, two training steps."""
# packages: diffusers
# needs: numpy pillow regex requests filelock safetensors huggingface_hub importlib_metadata
import torch
from diffusers import AutoencoderKL, DDIMScheduler, DDPMPipeline, DDPMScheduler, UNet2DConditionModel, UNet2DModel
from show import show, steps

torch.manual_seed(0)
unet = UNet2DModel(sample_size=16, in_channels=3, out_channels=3, layers_per_block=1, block_out_channels=(32, 32), down_block_types=("DownBlock2D", "AttnDownBlock2D"), up_block_types=("AttnUpBlock2D", "UpBlock2D"))
x = torch.randn(2, 3, 16, 16)
with torch.no_grad():
    show("unet", unet(x, 10).sample)
conditional = UNet2DConditionModel(sample_size=16, block_out_channels=(32, 64), layers_per_block=1, cross_attention_dim=24, attention_head_dim=8, down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"), up_block_types=("UpBlock2D", "CrossAttnUpBlock2D"))
with torch.no_grad():
    show("conditional", conditional(torch.randn(1, 4, 16, 16), 7, torch.randn(1, 5, 24)).sample)
vae = AutoencoderKL(block_out_channels=(32,), norm_num_groups=8, latent_channels=4, sample_size=16)
with torch.no_grad():
    show("vae", vae(x).sample)
scheduler = DDPMScheduler(num_train_timesteps=100)
noise = torch.randn_like(x)
noisy = scheduler.add_noise(x, noise, torch.tensor([5, 50]))
show("noisy", noisy)
steps("unet", unet, lambda: torch.nn.functional.mse_loss(unet(noisy, torch.tensor([5, 50])).sample, noise), count=2, rate=1e-3, optimizer=torch.optim.AdamW)
ddim = DDIMScheduler(num_train_timesteps=100)
ddim.set_timesteps(4)
sample = torch.randn(1, 3, 16, 16)
for t in ddim.timesteps:
    with torch.no_grad():
        sample = ddim.step(unet(sample, t).sample, t, sample).prev_sample
show("sample", sample)
pipe = DDPMPipeline(unet, scheduler)
pipe.set_progress_bar_config(disable=True)
show("pipeline", torch.tensor(pipe(generator=torch.Generator().manual_seed(0), num_inference_steps=2, output_type="np").images))
