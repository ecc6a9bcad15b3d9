"""botorch: a Gaussian process, an acquisition function and its best point."""
# packages: botorch gpytorch linear_operator pyro-ppl pyro-api
# needs: numpy scipy mpmath scikit-learn pyre-extensions jaxtyping typeguard multipledispatch threadpoolctl opt_einsum tqdm
import warnings

import torch
from botorch.acquisition import LogExpectedImprovement
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.optim import optimize_acqf
from gpytorch.mlls import ExactMarginalLogLikelihood
from show import show

warnings.filterwarnings("ignore")
torch.manual_seed(0)
x = torch.rand(10, 2, dtype=torch.double)
y = 1 - (x - 0.5).norm(dim=-1, keepdim=True)
model = SingleTaskGP(x, y)
fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
show("posterior", model.posterior(torch.full((1, 2), 0.4, dtype=torch.double)).mean)
acquisition = LogExpectedImprovement(model, best_f=y.max())
show("value", acquisition(torch.full((1, 1, 2), 0.6, dtype=torch.double)))
candidate, value = optimize_acqf(acquisition, bounds=torch.stack([torch.zeros(2), torch.ones(2)]).double(), q=1, num_restarts=2, raw_samples=8)
print([round(v, 2) for v in candidate.flatten().tolist()])
