# Distributions: draws for a seed, densities, moments, entropies, divergences.
import torch
import torch.distributions as D

t = torch.tensor
NAMES = ("mean", "mode", "variance", "stddev")
made = {
    "Normal": D.Normal(t([0.0, 1.0]), t([1.0, 2.0])),
    "Uniform": D.Uniform(t([0.0, 1.0]), t([1.0, 4.0])),
    "Bernoulli": D.Bernoulli(t([0.2, 0.5])),
    "BernoulliLogits": D.Bernoulli(logits=t([0.2, -0.5])),
    "Geometric": D.Geometric(t([0.2, 0.5])),
    "Categorical": D.Categorical(t([[0.2, 0.5, 0.3], [1.0, 1.0, 2.0]])),
    "CategoricalLogits": D.Categorical(logits=t([0.2, 0.5, 0.3])),
    "OneHot": D.OneHotCategorical(t([0.2, 0.5, 0.3])),
    "Multinomial": D.Multinomial(4, t([0.2, 0.5, 0.3])),
    "Binomial": D.Binomial(5, t([0.2, 0.5])),
    "NegativeBinomial": D.NegativeBinomial(t([5.0, 2.0]), t([0.2, 0.5])),
    "Exponential": D.Exponential(t([0.5, 2.0])),
    "Gamma": D.Gamma(t([0.5, 2.0]), t([1.0, 3.0])),
    "Chi2": D.Chi2(t([1.0, 4.0])),
    "Dirichlet": D.Dirichlet(t([[0.5, 2.0, 1.5], [2.0, 2.0, 2.0]])),
    "Beta": D.Beta(t([0.5, 2.0]), t([1.5, 3.0])),
    "Poisson": D.Poisson(t([0.5, 4.0])),
    "Laplace": D.Laplace(t([0.0, 1.0]), t([1.0, 2.0])),
    "Cauchy": D.Cauchy(t([0.0, 1.0]), t([1.0, 2.0])),
    "StudentT": D.StudentT(t([1.5, 5.0]), t([0.0, 1.0]), t([1.0, 2.0])),
    "FisherSnedecor": D.FisherSnedecor(t([1.5, 5.0]), t([3.0, 6.0])),
    "MultivariateNormal": D.MultivariateNormal(t([0.0, 1.0]), t([[2.0, 0.5], [0.5, 1.0]])),
    "MultivariateNormalPrecision": D.MultivariateNormal(t([0.0, 1.0]), precision_matrix=t([[2.0, 0.5], [0.5, 1.0]])),
    "MultivariateNormalTril": D.MultivariateNormal(torch.zeros(2, 2), scale_tril=t([[2.0, 0.0], [0.5, 1.0]])),
    "Independent": D.Independent(D.Normal(t([[0.0, 1.0]]), t([[1.0, 2.0]])), 1),
    "LogNormal": D.LogNormal(t([0.0, 1.0]), t([1.0, 0.5])),
    "HalfNormal": D.HalfNormal(t([1.0, 0.5])),
    "HalfCauchy": D.HalfCauchy(t([1.0, 0.5])),
    "Gumbel": D.Gumbel(t([0.0, 1.0]), t([1.0, 0.5])),
    "Weibull": D.Weibull(t([1.0, 2.0]), t([1.5, 0.5])),
    "Pareto": D.Pareto(t([1.0, 2.0]), t([1.5, 3.5])),
    "Kumaraswamy": D.Kumaraswamy(t([1.5, 2.0]), t([1.5, 3.5])),
    "InverseGamma": D.InverseGamma(t([1.5, 3.0]), t([1.0, 2.0])),
    "LogisticNormal": D.LogisticNormal(t([0.0, 1.0]), t([1.0, 2.0])),
    "RelaxedBernoulli": D.RelaxedBernoulli(t(0.7), t([0.2, 0.5])),
    "RelaxedOneHot": D.RelaxedOneHotCategorical(t(0.7), t([0.2, 0.5, 0.3])),
    "Mixture": D.MixtureSameFamily(D.Categorical(t([0.3, 0.7])), D.Normal(t([0.0, 3.0]), t([1.0, 0.5]))),
    "MixtureMany": D.MixtureSameFamily(
        D.Categorical(t([0.3, 0.7])), D.Independent(D.Normal(t([[0.0, 1.0], [3.0, 2.0]]), torch.ones(2, 2)), 1)
    ),
    "Tanh": D.TransformedDistribution(D.Normal(t([0.0, 1.0]), 1.0), [D.TanhTransform(), D.AffineTransform(1.0, -2.0)]),
}


def show(f):
    try:
        value = f()
        return value if not isinstance(value, torch.Tensor) else (value * 1000).round() / 1000 if value.dtype.is_floating_point else value
    except NotImplementedError:
        return "not implemented"


for name, d in made.items():
    torch.manual_seed(3)
    print(name, d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support)
    x = d.sample((2,))
    print("  sample", show(lambda: x), show(lambda: d.sample()))
    print("  log_prob", show(lambda: d.log_prob(x)), show(lambda: d.entropy()))
    for what in NAMES:
        print("  " + what, show(lambda: getattr(d, what)))
    print("  cdf", show(lambda: d.cdf(x)), show(lambda: d.icdf(t([0.3, 0.8]))))
    print("  support", d.support.event_dim, d.support.is_discrete, d.support.check(x).all())
    if d.has_enumerate_support:
        print("  all", show(lambda: d.enumerate_support(expand=False)))
    e = d.expand((3,) + tuple(d.batch_shape))
    print("  expanded", e.batch_shape, e.event_shape, type(e) is type(d), e.sample().shape, show(lambda: e.log_prob(x[0]).shape))

pairs = [
    ("Normal", "Normal"), ("Normal", "Laplace"), ("Normal", "Gumbel"), ("Normal", "Uniform"), ("Laplace", "Normal"),
    ("Bernoulli", "BernoulliLogits"), ("Bernoulli", "Poisson"), ("Categorical", "CategoricalLogits"), ("Beta", "Beta"),
    ("Dirichlet", "Dirichlet"), ("Exponential", "Gamma"), ("Exponential", "Normal"), ("Exponential", "Gumbel"),
    ("Gamma", "Exponential"), ("Gamma", "Normal"), ("Gamma", "Chi2"), ("Geometric", "Geometric"), ("Uniform", "Normal"),
    ("Uniform", "Exponential"), ("Uniform", "Uniform"), ("Uniform", "Pareto"), ("Pareto", "Exponential"), ("Pareto", "Pareto"),
    ("MultivariateNormal", "MultivariateNormalPrecision"), ("Poisson", "Poisson"), ("LogNormal", "LogNormal"),
    ("HalfNormal", "HalfNormal"), ("Independent", "Independent"), ("Cauchy", "Cauchy"), ("Binomial", "Binomial"),
    ("OneHot", "OneHot"), ("Gumbel", "Gumbel"), ("Laplace", "Laplace"), ("Beta", "Pareto"), ("Gumbel", "Beta"),
]
for p, q in pairs:
    print(p, q, show(lambda: D.kl_divergence(made[p], made[q])))
other = D.Normal(t(0.5), t(2.0))
print(D.kl_divergence(made["Normal"], other), D.kl_divergence(D.Categorical(t([0.5, 0.5])), D.Categorical(t([1.0, 0.0]))))

# Gradients through values and densities.
loc, scale = t(0.5, requires_grad=True), t(2.0, requires_grad=True)
torch.manual_seed(0)
for d in (D.Normal(loc, scale), D.Laplace(loc, scale), D.Cauchy(loc, scale), D.LogNormal(loc, scale), D.Gumbel(loc, scale)):
    value = d.rsample((4,))
    loss = value.sum() + d.log_prob(value.detach()).sum()
    print(torch.autograd.grad(loss, (loc, scale)))
p = t([0.2, 0.8], requires_grad=True)
D.Categorical(p).log_prob(t(1)).backward()
print(p.grad)
st = D.OneHotCategoricalStraightThrough(logits=t([0.2, 0.8], requires_grad=True)).rsample()
print(st.requires_grad)


@D.register_kl(D.Poisson, D.Normal)
def poisson_normal(p, q):
    return "registered"


print(D.kl_divergence(made["Poisson"], made["Normal"]))
D.Distribution.set_default_validate_args(False)
print(D.Normal(0.0, -1.0))
