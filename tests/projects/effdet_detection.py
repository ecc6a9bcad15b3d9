"""effdet: a small detector for images, and its trace, which pads by sizes that it computes."""
# packages: effdet timm torchvision
# needs: numpy pyyaml omegaconf pycocotools safetensors huggingface_hub pillow
import torch
from effdet import EfficientDet, get_efficientdet_config
from show import show

torch.manual_seed(0)
config = get_efficientdet_config("tf_efficientdet_lite0")
config.update(num_classes=3, image_size=(128, 128))
model = EfficientDet(config, pretrained_backbone=False).eval()
x = torch.randn(1, 3, 128, 128)
with torch.no_grad():
    classes, boxes = model(x)
    for level, (each, box) in enumerate(zip(classes, boxes)):
        show(f"classes {level}", each)
        show(f"boxes {level}", box)
    traced = torch.jit.trace(model.backbone, x, check_trace=False)
    show("traced", traced(x)[-1])
