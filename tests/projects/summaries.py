"""torchinfo, torchsummary, thop and ptflops: how large networks are."""
# packages: torchinfo torchsummary thop ptflops torchvision
# needs: numpy pillow
import torch
import torchvision
from ptflops import get_model_complexity_info
from thop import profile
from torchinfo import summary

torch.manual_seed(0)
model = torchvision.models.squeezenet1_1(num_classes=4).eval()
print(summary(model, (1, 3, 64, 64), verbose=0, depth=2))
print(profile(model, (torch.randn(1, 3, 64, 64),), verbose=False))
print(get_model_complexity_info(model, (3, 64, 64), as_strings=False, print_per_layer_stat=False, backend="pytorch"))
