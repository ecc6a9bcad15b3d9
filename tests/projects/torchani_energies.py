"""torchani: descriptors of molecules and networks of atoms, energies and forces."""
# packages: torchani
# needs: numpy h5py packaging tqdm lark-parser requests setuptools
import torch
from show import show
from torchani import AEVComputer

torch.manual_seed(0)
species = torch.tensor([[1, 0, 0, 0, 0]])
coordinates = torch.randn(1, 5, 3, requires_grad=True)
computer = AEVComputer.like_1x()
aevs = computer(species, coordinates)
show("aevs", aevs)
net = torch.nn.Sequential(torch.nn.Linear(aevs.shape[-1], 16), torch.nn.CELU(0.1), torch.nn.Linear(16, 1)).to(aevs.dtype)
energy = net(aevs).sum()
show("energy", energy)
show("forces", -torch.autograd.grad(energy, coordinates)[0])
