# packages: ultralytics ultralytics-thop torchvision
# needs: numpy pillow opencv-python-headless pyyaml requests matplotlib psutil polars scipy py-cpuinfo pandas tqdm
import torch
from show import show
from ultralytics import YOLO
from ultralytics.nn.tasks import DetectionModel

torch.manual_seed(0)
model = DetectionModel("yolov8n.yaml", ch=3, nc=4, verbose=False).eval()
x = torch.rand(1, 3, 64, 64)
with torch.no_grad():
    show("yolov8n", model(x)[0])
    show("fused", model.fuse(verbose=False)(x)[0])
torch.manual_seed(0)
yolo = YOLO("yolov8n-cls.yaml", verbose=False)
found = yolo.predict(x, imgsz=64, verbose=False)
show("probabilities", found[0].probs.data[:8])
