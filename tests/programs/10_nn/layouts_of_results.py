# Strides of results for operands that lie in other orders: losses, shuffles, norms, scatters, fake quantization.

import torch
import torch.nn.functional as F

torch.manual_seed(0)
plain = torch.randn(2, 4, 6, 8)
operands = {
    "plain": plain,
    "turned": torch.randn(2, 8, 6, 4).transpose(1, 3),
    "channels last": torch.randn(2, 4, 6, 8).contiguous(memory_format=torch.channels_last),
    "sliced": torch.randn(4, 8, 6, 16)[::2, ::2, :, ::2],
    "reversed": torch.randn(8, 6, 4, 2).permute(3, 2, 1, 0),
}
calls = {
    "mse": lambda x: F.mse_loss(x, plain, reduction="none"),
    "smooth": lambda x: F.smooth_l1_loss(x, operands["channels last"], reduction="none"),
    "huber": lambda x: F.huber_loss(x, plain, reduction="none"),
    "bce": lambda x: F.binary_cross_entropy(x.sigmoid(), plain.sigmoid(), reduction="none"),
    "logits": lambda x: F.binary_cross_entropy_with_logits(x, plain.sigmoid(), reduction="none"),
    "mean": lambda x: F.mse_loss(x, plain),
    "shuffle": lambda x: F.pixel_shuffle(x, 2),
    "unshuffle": lambda x: F.pixel_unshuffle(x, 2),
    "channels": lambda x: F.channel_shuffle(x, 2),
    "instance norm": lambda x: F.instance_norm(x, weight=torch.ones(4), bias=torch.zeros(4)),
    "group norm": lambda x: F.group_norm(x, 2),
    "batch norm": lambda x: F.batch_norm(x, torch.zeros(4), torch.ones(4)),
    "scatter": lambda x: x.masked_scatter(x > 0, torch.zeros(400)),
    "fake": lambda x: torch.fake_quantize_per_tensor_affine(x, 0.1, 0, 0, 255),
    "pool": lambda x: F.max_pool2d(x, 2),
    "resize": lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"),
}
for name, call in calls.items():
    for kind, x in operands.items():
        result = call(x)
        print(f"{name}, {kind}: {tuple(result.shape)} {result.stride()} {result.double().abs().sum().item():.4g}")
