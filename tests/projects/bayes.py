"""Bayesian layers and curvature: bayesian-torch, blitz, laplace, backpack."""
# packages: bayesian-torch blitz-bayesian-pytorch laplace-torch curvlinops-for-pytorch einconv asdfghjkl backpack-for-pytorch unfoldnd torchmetrics lightning-utilities torchvision linear_operator
# needs: numpy scipy opt_einsum einops tqdm jaxtyping
import torch
from backpack import backpack, extend
from backpack.extensions import BatchGrad, BatchL2Grad, DiagGGNExact, KFAC, Variance
from bayesian_torch.layers import Conv2dFlipout, Conv2dReparameterization, LinearFlipout, LinearReparameterization
from bayesian_torch.models.dnn_to_bnn import dnn_to_bnn, get_kl_loss
from blitz.modules import BayesianConv2d, BayesianLinear, BayesianLSTM
from blitz.utils import variational_estimator
from laplace import Laplace
from show import show, steps
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x, y = torch.randn(20, 4), torch.randn(20, 1)
for layer, given in (
    (LinearReparameterization(4, 3), x),
    (LinearFlipout(4, 3), x),
    (Conv2dReparameterization(2, 3, 3), torch.randn(1, 2, 5, 5)),
    (Conv2dFlipout(2, 3, 3), torch.randn(1, 2, 5, 5)),
):
    show(type(layer).__name__, layer(given))
plain = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
dnn_to_bnn(
    plain,
    {
        "prior_mu": 0.0,
        "prior_sigma": 1.0,
        "posterior_mu_init": 0.0,
        "posterior_rho_init": -3.0,
        "type": "Reparameterization",
        "moped_enable": True,
        "moped_delta": 0.5,
    },
)
steps("bnn", plain, lambda: (plain(x) - y).square().mean() + get_kl_loss(plain) / 200)


@variational_estimator
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = BayesianLinear(4, 8), BayesianLinear(8, 1)

    def forward(self, x):
        return self.two(self.one(x).relu())


net = Net()
steps("blitz", net, lambda: net.sample_elbo(inputs=x, labels=y, criterion=nn.MSELoss(), sample_nbr=2, complexity_cost_weight=1 / 20))
show("blitz lstm", BayesianLSTM(4, 5)(torch.randn(2, 6, 4))[0])
show("blitz conv", BayesianConv2d(2, 3, (3, 3))(torch.randn(1, 2, 5, 5)))
model = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 1))
for which in ("all", "last_layer"):
    for structure in ("diag", "kron", "full"):
        la = Laplace(model, "regression", subset_of_weights=which, hessian_structure=structure)
        la.fit(DataLoader(TensorDataset(x, y), batch_size=10))
        show(f"laplace {which} {structure}", [la.log_marginal_likelihood(), *la(x[:3])])
extended = extend(nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 3)))
loss = extend(nn.CrossEntropyLoss())(extended(x), torch.arange(20) % 3)
with backpack(BatchGrad(), Variance(), BatchL2Grad(), DiagGGNExact(), KFAC()):
    loss.backward()
for name, parameter in extended.named_parameters():
    show(name, [parameter.grad, parameter.grad_batch, parameter.variance, parameter.batch_l2, parameter.diag_ggn_exact])
