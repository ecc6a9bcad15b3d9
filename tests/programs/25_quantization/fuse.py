# Modules that follow one another become one: which sequences, hooks, in place or not, for training or not.
import warnings

import torch
from torch import nn
from torch.ao.quantization import fuse_modules, fuse_modules_qat, get_fuser_method

warnings.simplefilter("ignore")
torch.manual_seed(0)
sequences = {
    "conv1d bn": ([nn.Conv1d(2, 3, 2), nn.BatchNorm1d(3)], (1, 2, 4)),
    "conv1d bn relu": ([nn.Conv1d(2, 3, 2), nn.BatchNorm1d(3), nn.ReLU()], (1, 2, 4)),
    "conv2d bn": ([nn.Conv2d(2, 3, 2, bias=False), nn.BatchNorm2d(3)], (1, 2, 4, 4)),
    "conv2d bn relu": ([nn.Conv2d(2, 3, 2), nn.BatchNorm2d(3), nn.ReLU()], (1, 2, 4, 4)),
    "conv3d bn relu": ([nn.Conv3d(2, 3, 2), nn.BatchNorm3d(3), nn.ReLU()], (1, 2, 4, 4, 4)),
    "conv2d relu": ([nn.Conv2d(2, 3, 2), nn.ReLU()], (1, 2, 4, 4)),
    "linear bn": ([nn.Linear(3, 2), nn.BatchNorm1d(2)], (2, 3)),
    "linear relu": ([nn.Linear(3, 2), nn.ReLU()], (2, 3)),
    "bn relu": ([nn.BatchNorm2d(2), nn.ReLU()], (1, 2, 3, 3)),
    "bn3d relu": ([nn.BatchNorm3d(2), nn.ReLU()], (1, 2, 3, 3, 3)),
    "conv transpose bn": ([nn.ConvTranspose2d(2, 3, 2), nn.BatchNorm2d(3)], (1, 2, 3, 3)),
}
for name, (modules, shape) in sequences.items():
    model = nn.Sequential(*modules)
    for module in modules:
        if hasattr(module, "running_mean"):
            nn.init.uniform_(module.running_mean)
            nn.init.uniform_(module.running_var, 0.5, 2)
            nn.init.uniform_(module.weight)
    names = [str(i) for i in range(len(modules))]
    model.eval()
    x = torch.randn(shape)
    fused = fuse_modules(model, names)
    print(name, fused, fused is model, torch.allclose(fused(x), model(x), atol=1e-5))
    print(type(fused[0]))
    try:
        print(type(fuse_modules_qat(model.train(), [names])[0]))
    except Exception as e:
        print(type(e).__name__, e)
model = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
calls = []
model[0].register_forward_pre_hook(lambda m, x: calls.append(("before", type(m).__name__)))
model[1].register_forward_hook(lambda m, x, y: calls.append(("after", type(m).__name__)))
fused = fuse_modules(model, ["0", "1"], inplace=True)
print(fused is model, model(torch.ones(1, 2)).shape, calls)


def own(modules, is_qat, additional):
    return [nn.Identity() for _ in modules]


print(fuse_modules(nn.Sequential(nn.Linear(2, 2), nn.Tanh()), ["0", "1"], fuser_func=own))
custom = {"additional_fuser_method_mapping": {(nn.Linear, nn.Tanh): lambda is_qat, a, b: nn.Sequential(a, b)}}
print(fuse_modules(nn.Sequential(nn.Linear(2, 2), nn.Tanh()), ["0", "1"], fuse_custom_config_dict=custom))
print(get_fuser_method((nn.Conv2d, nn.BatchNorm2d)).__name__)


class Nested(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(1, 1, 1), nn.BatchNorm2d(1), nn.ReLU(), nn.Conv2d(1, 1, 1), nn.ReLU())


print(fuse_modules(Nested().eval(), [["body.0", "body.1", "body.2"], ["body.3", "body.4"]]))
