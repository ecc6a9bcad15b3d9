"""pyro: stochastic variational inference and Monte Carlo."""
# packages: pyro-ppl pyro-api
# needs: numpy opt_einsum tqdm
import pyro
import pyro.distributions as dist
import torch
from pyro.infer import MCMC, NUTS, SVI, Predictive, Trace_ELBO
from pyro.infer.autoguide import AutoNormal
from pyro.optim import Adam
from show import show

pyro.set_rng_seed(0)
data = torch.randn(20) * 0.5 + 2


def model(data):
    mean = pyro.sample("mean", dist.Normal(0.0, 5.0))
    scale = pyro.sample("scale", dist.LogNormal(0.0, 1.0))
    with pyro.plate("data", len(data)):
        return pyro.sample("x", dist.Normal(mean, scale), obs=data)


guide = AutoNormal(model)
svi = SVI(model, guide, Adam({"lr": 0.05}), Trace_ELBO())
for _ in range(5):
    show("loss", float(svi.step(data)))
show("guide", guide.median(data))
show("prior", Predictive(model, guide=guide, num_samples=3)(data)["mean"])
pyro.set_rng_seed(1)
mcmc = MCMC(NUTS(model), num_samples=5, warmup_steps=5, disable_progbar=True)
mcmc.run(data)
print({k: list(v.shape) for k, v in mcmc.get_samples().items()})
