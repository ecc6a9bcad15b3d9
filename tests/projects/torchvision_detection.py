"""torchvision: detection and segmentation models, boxes, non-maximum suppression."""
# packages: torchvision
# needs: numpy pillow
import torch
import torchvision
from torchvision.ops import MultiScaleRoIAlign, box_iou, deform_conv2d, nms, roi_align, roi_pool
from show import show

torch.manual_seed(0)
boxes = torch.rand(20, 4) * 20
boxes[:, 2:] += boxes[:, :2]
show("nms", nms(boxes, torch.rand(20), 0.5))
show("iou", box_iou(boxes[:4], boxes[4:9]))
show("roi_align", roi_align(torch.randn(1, 3, 32, 32), [boxes[:3]], output_size=4, spatial_scale=0.5))
show("roi_pool", roi_pool(torch.randn(1, 3, 32, 32), [boxes[:3]], output_size=4))
show("deform", deform_conv2d(torch.randn(1, 4, 8, 8), torch.randn(1, 18, 6, 6), torch.randn(5, 4, 3, 3)))
model = torchvision.models.detection.fasterrcnn_mobilenet_v3_large_320_fpn(weights=None, weights_backbone=None, box_score_thresh=0.0)
model.eval()
with torch.no_grad():
    found = model([torch.rand(3, 96, 96)])[0]
print(sorted(found), found["boxes"].shape[1])
show("scores", found["scores"][:5])
model = torchvision.models.segmentation.lraspp_mobilenet_v3_large(weights=None, weights_backbone=None).eval()
with torch.no_grad():
    show("lraspp", model(torch.rand(1, 3, 64, 64))["out"])
model = torchvision.models.detection.ssdlite320_mobilenet_v3_large(weights=None, weights_backbone=None)
target = {"boxes": torch.tensor([[10.0, 10, 50, 60]]), "labels": torch.tensor([3])}
losses = model([torch.rand(3, 96, 96), torch.rand(3, 80, 96)], [target, target])
show("losses", {k: float(v) for k, v in losses.items()})
