"""higher: gradients through the steps of optimizers, of a perceptron and of an LSTM."""
# packages: higher
# needs: numpy
import higher
import torch
from show import show
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
x = torch.randn(6, 3)
with higher.innerloop_ctx(model, optimizer) as (inner, steps):
    for _ in range(3):
        steps.step((inner(x) - 1).square().mean())
    inner(x).square().mean().backward()
for name, parameter in model.named_parameters():
    show(name, parameter.grad)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
with higher.innerloop_ctx(model, optimizer) as (inner, steps):
    for _ in range(2):
        steps.step((inner(x) - 1).square().mean())
    show("adam", torch.autograd.grad(inner(x).mean(), inner.parameters(time=0)))
lstm = nn.LSTM(3, 4)
with higher.innerloop_ctx(lstm, torch.optim.SGD(lstm.parameters(), lr=0.1)) as (inner, steps):
    steps.step(inner(x[:, None])[0].sum())
    show("lstm", inner(x[:, None])[0])
