"""How far each distribution is from each other, at bounds too; of normal distributions of few factors."""
import itertools

import torch
import torch.distributions as D

T = torch.tensor
locations, scales = T([0.5, -2.0, 3.0]), T([1.0, 0.3, 2.0])
factors = torch.arange(6.0).view(3, 2) / 3
covariance = T([[2.0, 0.3, 0.0], [0.3, 1.0, 0.2], [0.0, 0.2, 3.0]])
ALL = [
    D.Beta(T([0.5, 2.0, 3.0]), T([1.5, 0.7, 4.0])),
    D.ContinuousBernoulli(probs=T([0.1, 0.5, 0.9])), D.ContinuousBernoulli(logits=T([-3.0, 0.001, 0.4])),
    D.Exponential(T([0.5, 1.0, 3.0])), D.Gamma(T([0.5, 2.0, 3.0]), scales),
    D.Normal(locations, scales), D.Gumbel(locations, scales), D.Laplace(locations, scales),
    D.Pareto(T([0.5, 2.0, 3.0]), T([1.0, 2.0, 3.0])), D.Pareto(T([0.5, 2.0, 3.0]), T([2.5, 0.5, 1.5])),
    D.Uniform(T([0.0, 0.2, -1.0]), T([1.0, 0.7, 1.0])), D.Uniform(T([0.5, 0.2, 1.0]), T([3.0, 0.7, 4.0])),
    D.Uniform(T([-1.0, 0.0, 0.0]), T([3.0, 0.7, 2.0])), D.Poisson(T([1.0, 2.0, 3.0])),
    D.LowRankMultivariateNormal(T([0.5, -1.0, 2.0]), factors, T([1.0, 2.0, 0.5])),
    D.LowRankMultivariateNormal(torch.arange(6.0).view(2, 3), torch.stack([factors, factors * 2]), torch.ones(2, 3) * 0.3),
    D.LowRankMultivariateNormal(torch.zeros(3), factors[:, :1], torch.ones(3)),
    D.MultivariateNormal(T([1.0, 2.0, 3.0]), covariance),
    D.MultivariateNormal(torch.zeros(2, 3), torch.stack([covariance, covariance * 2])),
    D.MultivariateNormal(torch.zeros(2), torch.eye(2)), D.LowRankMultivariateNormal(torch.zeros(2), torch.ones(2, 1), torch.ones(2)),
]
for (i, p), (j, q) in itertools.product(enumerate(ALL), repeat=2):
    try:
        found = [round(v, 3) + 0.0 for v in D.kl_divergence(p, q).flatten().tolist()]
    except (NotImplementedError, ValueError) as error:
        found = f"{type(error).__name__} {error}"
    print(i, type(p).__name__, j, type(q).__name__, found)
