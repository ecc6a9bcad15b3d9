"""gpytorch: exact regression with a Gaussian process, trained and asked; a variational one."""
# packages: gpytorch linear_operator
# needs: numpy scipy mpmath scikit-learn jaxtyping typeguard
import gpytorch
import torch
from show import show

torch.manual_seed(0)
x = torch.linspace(0, 1, 20)
y = torch.sin(x * 6) + 0.1 * torch.randn(20)


class Model(gpytorch.models.ExactGP):
    def __init__(self, x, y, likelihood):
        super().__init__(x, y, likelihood)
        self.mean = gpytorch.means.ConstantMean()
        self.kernel = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel())

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean(x), self.kernel(x))


likelihood = gpytorch.likelihoods.GaussianLikelihood()
model = Model(x, y, likelihood)
optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
mll = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
for _ in range(5):
    optimizer.zero_grad()
    loss = -mll(model(x), y)
    loss.backward()
    optimizer.step()
    show("loss", loss)
model.eval(), likelihood.eval()
with torch.no_grad(), gpytorch.settings.fast_pred_var():
    found = likelihood(model(torch.linspace(0, 1, 7)))
show("mean", found.mean)
show("variance", found.variance)
