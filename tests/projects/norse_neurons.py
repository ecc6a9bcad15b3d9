"""norse: leaky integrate-and-fire cells and networks."""
# packages: norse nir nirtorch
# needs: numpy matplotlib h5py
import norse.torch as norse
import torch
from show import show

torch.manual_seed(0)
net = norse.SequentialState(torch.nn.Linear(4, 6), norse.LIFCell(), torch.nn.Linear(6, 2), norse.LICell())
out, state = net(torch.rand(3, 4) * 5)
show("out", out)
out, state = net(torch.rand(3, 4) * 5, state)
show("again", out)
