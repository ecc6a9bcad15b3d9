"""normflows, nflows and zuko: normalising flows."""
# packages: normflows nflows zuko umnn
# needs: numpy matplotlib tqdm
import normflows
import torch
import zuko
from nflows import distributions, flows, transforms
from show import show

torch.manual_seed(0)
x = torch.randn(5, 2)
flow = flows.Flow(transforms.CompositeTransform([transforms.ReversePermutation(2), transforms.MaskedAffineAutoregressiveTransform(2, 8)]), distributions.StandardNormal([2]))
show("nflows", flow.log_prob(x))
spline = zuko.flows.NSF(2, 1, transforms=2, hidden_features=(16,))
show("zuko", spline(torch.ones(5, 1)).log_prob(x))
base = normflows.distributions.DiagGaussian(2)
real = normflows.NormalizingFlow(base, [normflows.flows.AffineCouplingBlock(normflows.nets.MLP([1, 8, 2], init_zeros=False)), normflows.flows.Permute(2, mode="swap")])
show("normflows", real.log_prob(x))
