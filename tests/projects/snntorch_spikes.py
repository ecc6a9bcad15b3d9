"""snntorch: spiking neurons, trained through time."""
# packages: snntorch
# needs: numpy
import snntorch as snn
import torch
from show import show, steps
from snntorch import surrogate

torch.manual_seed(0)
fc, lif = torch.nn.Linear(6, 4), snn.Leaky(beta=0.9, spike_grad=surrogate.fast_sigmoid())
x = torch.rand(5, 2, 6) * 3


def run():
    membrane, spikes = lif.init_leaky(), []
    for step in x:
        spike, membrane = lif(fc(step), membrane)
        spikes.append(spike)
    return torch.stack(spikes), membrane


show("spikes", run()[0])
show("membrane", run()[1])
steps("loss", fc, lambda: (run()[1] - 0.3).pow(2).mean(), rate=0.1)
