"""torchsde: a stochastic differential equation with given noise."""
# packages: torchsde trampoline
# needs: numpy scipy
import torch
import torchsde
from show import show

torch.manual_seed(0)


class SDE(torch.nn.Module):
    noise_type, sde_type = "diagonal", "ito"

    def __init__(self):
        super().__init__()
        self.a, self.b = torch.nn.Linear(3, 3), torch.nn.Linear(3, 3)

    def f(self, t, y):
        return self.a(y)

    def g(self, t, y):
        return self.b(y).sigmoid()


sde = SDE()
y = torchsde.sdeint(sde, torch.zeros(4, 3), torch.linspace(0, 1, 4), dt=0.1, bm=torchsde.BrownianInterval(0.0, 1.0, (4, 3), entropy=5, levy_area_approximation="space-time"))
show("paths", y)
