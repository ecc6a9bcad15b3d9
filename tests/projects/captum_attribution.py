"""captum: attributions of a small network by several methods."""
# packages: captum
# needs: numpy matplotlib packaging tqdm
import numpy
import torch
from captum.attr import DeepLift, FeatureAblation, GradientShap, GuidedBackprop, InputXGradient, IntegratedGradients, LayerGradCam, Occlusion, Saliency
from show import show

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Conv2d(1, 4, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(4 * 36, 3)).eval()
x = torch.randn(2, 1, 8, 8, requires_grad=True)
for method in (IntegratedGradients, Saliency, DeepLift, InputXGradient, GuidedBackprop):
    show(method.__name__, method(net).attribute(x, target=1))
show("occlusion", Occlusion(net).attribute(x, target=0, sliding_window_shapes=(1, 3, 3)))
show("ablation", FeatureAblation(net).attribute(x, target=0))
show("gradcam", LayerGradCam(net, net[0]).attribute(x, target=2))
torch.manual_seed(1)
numpy.random.seed(1)
show("shap", GradientShap(net).attribute(x, torch.zeros(2, 1, 8, 8), target=1, n_samples=3))
