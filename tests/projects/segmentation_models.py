"""segmentation_models_pytorch: a U-Net, an FPN and DeepLab, their losses and metrics."""
# packages: segmentation-models-pytorch timm torchvision
# needs: numpy pillow pyyaml safetensors huggingface_hub tqdm
import segmentation_models_pytorch as smp
import torch
from show import saved, show, steps

x = torch.randn(2, 3, 64, 64, generator=torch.Generator().manual_seed(0))
y = (torch.rand(2, 1, 64, 64, generator=torch.Generator().manual_seed(1)) > 0.5).long()
for cls, encoder in ((smp.Unet, "resnet18"), (smp.FPN, "mobilenet_v2"), (smp.DeepLabV3Plus, "resnet18"), (smp.UnetPlusPlus, "timm-mobilenetv3_small_100"), (smp.Segformer, "mit_b0")):
    torch.manual_seed(1)
    model = cls(encoder, encoder_weights=None, classes=1).eval()
    with torch.no_grad():
        show(cls.__name__, model(x))
torch.manual_seed(1)
model = smp.Unet("resnet18", encoder_weights=None, classes=1)
loss = smp.losses.DiceLoss("binary")
steps("unet", model, lambda: loss(model(x), y.float()), rate=0.001)
with torch.no_grad():
    model.eval()
    show("traced", saved(torch.jit.trace(model, x))(x))
tp, fp, fn, tn = smp.metrics.get_stats(model(x).sigmoid(), y, mode="binary", threshold=0.5)
show("iou", smp.metrics.iou_score(tp, fp, fn, tn, reduction="micro"))
