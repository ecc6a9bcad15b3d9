"""pytorch_wavelets, geoopt, torchcde, torchquad: wavelets, manifolds, controlled equations."""
# packages: pytorch-wavelets geoopt torchcde torchdiffeq torchsde trampoline
# needs: numpy PyWavelets scipy six
import geoopt
import torch
import torchcde
from pytorch_wavelets import DWTForward, DWTInverse
from show import show

torch.manual_seed(0)
x = torch.randn(1, 1, 16, 16)
low, high = DWTForward(J=2, wave="db2")(x)
show("low", low)
show("back", DWTInverse(wave="db2")((low, high)) - x)
ball = geoopt.PoincareBall()
p, q = ball.random(3, 2), ball.random(3, 2)
show("distance", ball.dist(p, q))
weight = geoopt.ManifoldParameter(ball.random(2), manifold=ball)
optimizer = geoopt.optim.RiemannianAdam([weight], lr=0.1)
ball.dist(weight, torch.tensor([0.1, 0.2])).backward()
optimizer.step()
show("step", weight)
path = torchcde.CubicSpline(torchcde.natural_cubic_coeffs(torch.randn(1, 6, 2)))
show("spline", path.evaluate(torch.tensor(2.5)))
