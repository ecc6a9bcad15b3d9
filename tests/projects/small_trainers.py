"""Averages, widths and optimisers: torch-ema, adabelief, mup, dadaptation, delu, pytorch_optimizer, pytorch-lamb."""
# packages: torch-ema adabelief-pytorch mup dadaptation pytorch_optimizer pytorch-lamb delu
# needs: numpy colorama tabulate pyyaml seaborn tensorboardX tqdm pandas
import adabelief_pytorch
import dadaptation
import delu
import mup
import pytorch_optimizer
import torch
from pytorch_lamb import Lamb
from show import show, steps
from torch import nn
from torch_ema import ExponentialMovingAverage

torch.manual_seed(0)
x, y = torch.randn(16, 5), torch.randn(16, 1)


def net():
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(5, 8), nn.Tanh(), nn.Linear(8, 1))


for name in (
    "adamp",
    "radam",
    "ranger21",
    "lion",
    "sophiah",
    "adan",
    "prodigy",
    "adafactor",
    "lars",
    "shampoo",
    "came",
    "novograd",
    "apollo",
    "yogi",
    "madgrad",
    "soap",
    "tiger",
    "adopt",
    "grams",
    "schedulefreeadamw",
):
    model = net()
    kind = pytorch_optimizer.load_optimizer(name)
    stepper = kind(model.parameters(), lr=0.01) if name != "ranger21" else kind(model.parameters(), num_iterations=10, lr=0.01)
    if hasattr(stepper, "train"):
        stepper.train()
    for _ in range(4):
        stepper.zero_grad()
        loss = (model(x) - y).square().mean()
        loss.backward(create_graph=name == "sophiah")
        stepper.step()
    show(name, float(loss.detach()))
for kind in (dadaptation.DAdaptAdam, dadaptation.DAdaptSGD, dadaptation.DAdaptLion, dadaptation.DAdaptAdaGrad):
    model = net()
    steps(kind.__name__, model, lambda: (model(x) - y).square().mean(), optimizer=kind, rate=1.0)
model = net()
steps(
    "adabelief",
    model,
    lambda: (model(x) - y).square().mean(),
    optimizer=lambda p, lr: adabelief_pytorch.AdaBelief(p, lr=lr, print_change_log=False),
)
model = net()
steps("lamb", model, lambda: (model(x) - y).square().mean(), optimizer=Lamb)
average = ExponentialMovingAverage(model.parameters(), decay=0.9)
for _ in range(3):
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.1)
    average.update()
with average.average_parameters():
    show("ema", model(x).detach())
show("not ema", model(x).detach())


class Wide(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.one, self.two, self.out = nn.Linear(5, width), nn.Linear(width, width), mup.MuReadout(width, 1)

    def forward(self, x):
        return self.out(self.two(self.one(x).relu()).relu())


wide = Wide(32)
mup.set_base_shapes(wide, Wide(8), delta=Wide(16))
for parameter in wide.parameters():
    if parameter.ndim == 2:
        mup.init.kaiming_uniform_(parameter, a=1)
    else:
        mup.init.uniform_(parameter, -0.1, 0.1)
steps("mup", wide, lambda: (wide(x) - y).square().mean(), optimizer=mup.MuAdam)
steps("mup sgd", wide, lambda: (wide(x) - y).square().mean(), optimizer=mup.MuSGD)
delu.random.seed(3)
show("delu", [delu.iter_batches(torch.arange(10), 3).__class__.__name__, *delu.iter_batches(torch.arange(10), 4)])
show("delu concat", delu.cat([{"a": torch.ones(2)}, {"a": torch.zeros(1)}]))
stopping = delu.tools.EarlyStopping(2, mode="min")
print([stopping.update(v) or stopping.should_stop() for v in (1.0, 0.5, 0.6, 0.7, 0.8)])
