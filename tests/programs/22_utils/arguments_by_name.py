"""Signatures that programs ask for, and arguments that used to be missing."""
import inspect

import torch
import torch.profiler
from torch import nn
from torch.autograd import gradgradcheck

for f in (
    nn.LazyConv1d, nn.LazyConv2d, nn.LazyConvTranspose3d, nn.LazyLinear, nn.Module.modules, gradgradcheck, torch.profiler.profile,
    torch.random.set_rng_state, torch.random.fork_rng, torch.distributions.Gamma.sample, torch.distributions.Gamma.rsample,
):
    print([(p.name, p.kind.name) for p in inspect.signature(f).parameters.values()])
m = nn.Linear(1, 1)
s = nn.Sequential(m, m)
print(list(s.modules(remove_duplicate=False)), len(list(s.modules())))
g = torch.Generator()
g.manual_seed(1)
d = torch.distributions.Gamma(torch.tensor([2.0, 0.5]), torch.tensor(1.0))
print(d.sample((2,), generator=g), torch.distributions.Chi2(torch.tensor(3.0)).sample(generator=g))
torch.manual_seed(1)
print(d.sample((2,)), d.rsample((1,)))
x = torch.randn(3, dtype=torch.double, requires_grad=True)
print(gradgradcheck(lambda x: x.sin() * x, (x,), gen_non_contig_grad_outputs=True, check_fwd_over_rev=True, fast_mode=False))
print(gradgradcheck(torch.tanh, x, check_rev_over_rev=True, nondet_tol=1e-8))
torch.set_rng_state(new_state=torch.get_rng_state())
print(nn.LazyConv2d(2, 3, padding=1)(torch.ones(1, 2, 4, 4)).shape)
print(nn.LazyConvTranspose1d(2, 3, 2, bias=False)(torch.ones(1, 2, 4)).shape)
