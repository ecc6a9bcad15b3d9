"""torch-optimizer, lion-pytorch, schedulefree, prodigyopt, pytorch-warmup: optimisers of others."""
# packages: torch-optimizer pytorch-ranger lion-pytorch schedulefree prodigyopt pytorch-warmup
# needs: numpy
import prodigyopt
import pytorch_warmup
import schedulefree
import torch
import torch_optimizer
from lion_pytorch import Lion
from show import show, steps

x, y = torch.randn(16, 4, generator=torch.Generator().manual_seed(0)), torch.randn(16, 1, generator=torch.Generator().manual_seed(1))
for cls in (torch_optimizer.RAdam, torch_optimizer.Lamb, torch_optimizer.AdaBound, torch_optimizer.Yogi, torch_optimizer.DiffGrad, Lion, prodigyopt.Prodigy):
    torch.manual_seed(0)
    net = torch.nn.Linear(4, 1)
    steps(cls.__name__, net, lambda: (net(x) - y).pow(2).mean(), optimizer=cls)
torch.manual_seed(0)
net = torch.nn.Linear(4, 1)
optimizer = schedulefree.AdamWScheduleFree(net.parameters(), lr=0.01)
optimizer.train()
warmup = pytorch_warmup.LinearWarmup(optimizer, 5)
for _ in range(3):
    optimizer.zero_grad()
    loss = (net(x) - y).pow(2).mean()
    loss.backward()
    optimizer.step()
    with warmup.dampening():
        pass
    show("schedulefree", loss)
