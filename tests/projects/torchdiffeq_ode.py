"""torchdiffeq: ordinary differential equations, their gradients by the adjoint."""
# packages: torchdiffeq
# needs: numpy scipy
import torch
from show import show, steps
from torchdiffeq import odeint, odeint_adjoint

torch.manual_seed(0)


class Field(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Sequential(torch.nn.Linear(2, 16), torch.nn.Tanh(), torch.nn.Linear(16, 2))

    def forward(self, t, y):
        return self.net(y**3)


field, y0, t = Field(), torch.tensor([[2.0, 0.0]]), torch.linspace(0, 1, 5)
for method in ("dopri5", "rk4", "euler", "midpoint", "dopri8"):
    show(method, odeint(field, y0, t, method=method))
steps("adjoint", field, lambda: odeint_adjoint(field, y0, t).pow(2).mean())
