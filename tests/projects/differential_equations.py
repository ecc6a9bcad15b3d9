"""Physics: a Poisson equation by deepxde, a solution by torchphysics, torchdyn's neural equation."""
# packages: deepxde torchphysics torchdyn torchdiffeq torchsde trampoline torchcde pytorch-lightning torchmetrics lightning-utilities
# needs: numpy scipy attrs matplotlib scikit-learn scikit-optimize networkx tqdm pyyaml fsspec packaging
import os

os.environ["DDE_BACKEND"] = "pytorch"
import numpy as np
import torch
from show import show, steps

import deepxde as dde

dde.config.set_random_seed(0)
dde.config.set_default_float("float32")


def poisson(x, y):
    return -dde.grad.hessian(y, x) - np.pi**2 * torch.sin(np.pi * x)


line = dde.geometry.Interval(-0.5, 1)
condition = dde.icbc.DirichletBC(line, lambda x: np.sin(np.pi * x[:, :1]), lambda _, on: on)
data = dde.data.PDE(line, poisson, condition, 16, 2, solution=lambda x: np.sin(np.pi * x), num_test=20, train_distribution="uniform")
net = dde.nn.FNN([1, 16, 16, 1], "tanh", "Glorot uniform")
torch.manual_seed(0)
for layer in net.linears:
    torch.nn.init.xavier_uniform_(layer.weight)
model = dde.Model(data, net)
model.compile("adam", lr=0.001, metrics=["l2 relative error"], verbose=0)
history, _ = model.train(iterations=50, display_every=25, verbose=0)
for line in history.loss_train:
    show("poisson", torch.as_tensor(line))
show("solution", torch.as_tensor(model.predict(np.linspace(-0.5, 1, 5, dtype="float32")[:, None])))
model.compile("L-BFGS", verbose=0)
dde.optimizers.set_LBFGS_options(maxiter=10)
history, _ = model.train(verbose=0, display_every=100)
deep = dde.nn.DeepONetCartesianProd([4, 8, 8], [1, 8, 8], "relu", "Glorot normal")
torch.manual_seed(1)
for parameter in deep.parameters():
    torch.nn.init.normal_(parameter, std=0.3)
show("deeponet", deep((torch.randn(3, 4), torch.rand(5, 1))))


import torchphysics as tp

X, U = tp.spaces.R1("x"), tp.spaces.R1("u")
interval = tp.domains.Interval(X, 0, 2)
solver_net = tp.models.Sequential(tp.models.NormalizationLayer(interval), tp.models.FCN(X, U, hidden=(8, 8)))
torch.manual_seed(2)
for parameter in solver_net.parameters():
    torch.nn.init.normal_(parameter, std=0.4)
inner = tp.samplers.GridSampler(interval, 20)
edge = tp.samplers.GridSampler(interval.boundary, 2)
residual = tp.conditions.PINNCondition(solver_net, inner, lambda u, x: tp.utils.grad(u, x) + u, name="decay")
start = tp.conditions.PINNCondition(solver_net, edge, lambda u, x: u - torch.exp(-x), name="edge")
steps("torchphysics", solver_net, torch.enable_grad()(lambda: residual() + start()))
for kind in (tp.models.QRES(X, U, hidden=(8,)), tp.models.FCN(X, U, hidden=(4,))):
    show(type(kind).__name__, kind(tp.spaces.Points(torch.linspace(0, 2, 4)[:, None], X)).as_tensor)

from torchdyn.core import NeuralODE
from torchdyn.nn import DataControl, DepthCat
from torchdyn.numerics import odeint

field = torch.nn.Sequential(torch.nn.Linear(2, 16), torch.nn.Tanh(), torch.nn.Linear(16, 2))
for sensitivity, solver in (("autograd", "rk4"), ("adjoint", "dopri5")):
    neural = NeuralODE(field, sensitivity=sensitivity, solver=solver, atol=1e-5, rtol=1e-5)
    given, span = torch.randn(6, 2), torch.linspace(0, 1, 4)
    steps("neural ode " + sensitivity, neural, lambda: neural(given, span)[1][-1].square().mean(), parameters=field.parameters(), rate=0.1)
for solver in ("euler", "midpoint", "rk4", "dopri5", "tsit5"):
    show(solver, odeint(lambda t, x: -x * t, torch.ones(1, 2), torch.linspace(0, 1, 5), solver=solver)[1][-1])
