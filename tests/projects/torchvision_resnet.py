"""torchvision: a ResNet and a MobileNet evaluated, scripted, saved, loaded, and trained for three steps."""
# packages: torchvision
# needs: numpy pillow
import torch
import torchvision
from show import saved, show, steps

torch.manual_seed(0)
x = torch.randn(2, 3, 64, 64)
for build in (torchvision.models.resnet18, torchvision.models.mobilenet_v3_small, torchvision.models.convnext_tiny):
    torch.manual_seed(1)
    model = build(weights=None, num_classes=10).eval()
    with torch.no_grad():
        show(build.__name__, model(x))
        loaded = saved(torch.jit.script(model))
        print(torch.allclose(loaded(x), model(x), atol=1e-5))
torch.manual_seed(1)
# In double precision: in single, a rectifier stands so near its threshold that the last bits of what comes before decide.
model = torchvision.models.resnet18(num_classes=10).double()
x, y = x.double(), torch.tensor([1, 7])
steps("resnet18", model, lambda: torch.nn.functional.cross_entropy(model(x), y))
print(sum(p.numel() for p in model.parameters()))
