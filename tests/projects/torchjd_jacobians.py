"""torchjd: several losses at once, by their Jacobian and ways of putting its rows together."""
# packages: torchjd
# needs: numpy quadprog qpsolvers
import torch
from show import show
from torch import nn
from torchjd.aggregation import AlignedMTL, DualProj, IMTLG, Mean, MGDA, UPGrad
from torchjd.autojac import backward, jac_to_grad

torch.manual_seed(0)
jacobian = torch.randn(3, 5)
for aggregator in (UPGrad(), MGDA(), IMTLG(), AlignedMTL(), Mean(), DualProj()):
    show(type(aggregator).__name__, aggregator(jacobian))
model = nn.Sequential(nn.Linear(4, 3), nn.Tanh(), nn.Linear(3, 2))
losses = model(torch.randn(5, 4)).square().mean(0)
backward([losses[0], losses[1]])
jac_to_grad(model.parameters(), UPGrad())
for name, parameter in model.named_parameters():
    show(name, parameter.grad)
