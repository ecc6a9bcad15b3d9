"""Explanations and views of networks: grad-cam, torchcam, torchview, fvcore's counts, torch-pruning, ttach."""
# packages: grad-cam torchcam torchview fvcore iopath torch-pruning ttach torchvision
# needs: numpy pillow matplotlib opencv-python-headless scikit-learn tqdm graphviz pyyaml yacs termcolor tabulate portalocker
import torch
import torch_pruning
import ttach
from fvcore.nn import ActivationCountAnalysis, FlopCountAnalysis, flop_count_table, parameter_count
from fvcore.nn.precise_bn import update_bn_stats
from pytorch_grad_cam import AblationCAM, EigenCAM, GradCAM, GradCAMPlusPlus, HiResCAM, LayerCAM, ScoreCAM, XGradCAM
from pytorch_grad_cam.utils.model_targets import ClassifierOutputTarget
from show import saved, show, steps
from torch import nn
from torchcam.methods import CAM, SmoothGradCAMpp
from torchvision.models import resnet18
from torchview import draw_graph


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 3, padding=1), nn.ReLU()
        )
        self.pool, self.fc = nn.AdaptiveAvgPool2d(1), nn.Linear(16, 5)

    def forward(self, x):
        return self.fc(self.pool(self.features(x)).flatten(1))


torch.manual_seed(0)
net = Net().eval()
x = torch.randn(2, 3, 16, 16)
for kind in (GradCAM, HiResCAM, XGradCAM, GradCAMPlusPlus, LayerCAM, EigenCAM, ScoreCAM, AblationCAM):
    with kind(model=net, target_layers=[net.features[4]]) as cam:
        cam.batch_size = 4
        show(kind.__name__, torch.as_tensor(cam(input_tensor=x, targets=[ClassifierOutputTarget(1), ClassifierOutputTarget(3)])))
for kind in (SmoothGradCAMpp, CAM):
    with kind(
        net, "features.4" if kind is SmoothGradCAMpp else "features.5", **({} if kind is SmoothGradCAMpp else {"fc_layer": "fc"})
    ) as extractor:
        show(kind.__name__, extractor([2, 2], net(x)))
flops = FlopCountAnalysis(net, x)
print(flops.total(), sorted(flops.by_operator().items()), ActivationCountAnalysis(net, x).total(), parameter_count(net)["features"])
print(flop_count_table(flops, max_depth=2))
update_bn_stats(net.train(), [torch.randn(4, 3, 16, 16) for _ in range(3)], num_iters=3)
show("precise", net.features[1].running_mean)
net.eval()
picture = draw_graph(net, input_size=(1, 3, 16, 16), device="cpu", depth=2)
print(picture.visual_graph.source.count("->"))
merged = ttach.ClassificationTTAWrapper(
    net,
    ttach.Compose([ttach.HorizontalFlip(), ttach.Rotate90([0, 90]), ttach.Scale([1, 2]), ttach.Multiply([0.9, 1.1])]),
    merge_mode="mean",
)
show("ttach", merged(x))
big = resnet18(num_classes=10)
given = torch.randn(1, 3, 64, 64)
importance = torch_pruning.importance.GroupMagnitudeImportance(p=2)
pruner = torch_pruning.pruner.MagnitudePruner(big, given, importance=importance, pruning_ratio=0.5, ignored_layers=[big.fc])
before = torch_pruning.utils.count_ops_and_params(big, given)
pruner.step()
print(before, torch_pruning.utils.count_ops_and_params(big, given), big.layer4[1].conv2)
big.eval()
show("pruned", big(given))
show("traced", saved(torch.jit.trace(big, given))(given))
group = (
    torch_pruning.DependencyGraph()
    .build_dependency(net, example_inputs=x)
    .get_pruning_group(net.features[0], torch_pruning.prune_conv_out_channels, idxs=[0, 3])
)
group.prune()
show("group", net(x))
steps("group", net, lambda: net(x).square().mean())
