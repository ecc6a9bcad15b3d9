# Traces of probabilities, of values drawn and of divergences.
import warnings

import torch
import torch.distributions as D

warnings.simplefilter("ignore")
D.Distribution.set_default_validate_args(False)
x = torch.tensor([0.2, 0.5, 0.7])
kinds = {
    "Normal": lambda a: D.Normal(a, a + 1),
    "Laplace": lambda a: D.Laplace(a, a + 1),
    "Bernoulli": lambda a: D.Bernoulli(a),
    "Gamma": lambda a: D.Gamma(a, a + 1),
    "Exponential": lambda a: D.Exponential(a),
    "Uniform": lambda a: D.Uniform(a - 1, a + 2),
    "Cauchy": lambda a: D.Cauchy(a, a + 1),
    "Gumbel": lambda a: D.Gumbel(a, a + 1),
    "Tanh": lambda a: D.TransformedDistribution(D.Normal(a, a), [D.TanhTransform()]),
    "Categorical": lambda a: D.Categorical(logits=a),
    "OneHot": lambda a: D.OneHotCategorical(logits=a),
}
values = {"Categorical": torch.tensor(1), "OneHot": torch.tensor([0.0, 1.0, 0.0])}
for name, make in kinds.items():
    asks = {
        "log_prob": lambda a, v: make(a).log_prob(v),
        "draw": lambda a, v: make(a).rsample() if make(a).has_rsample else make(a).sample(),
        "kl": lambda a, v: D.kl_divergence(make(a), make(a + 0.1)),
    }
    for what, ask in asks.items():
        torch.manual_seed(0)
        print("==", name, what)
        print(torch.jit.trace(ask, (x, values.get(name, x)), check_trace=False).code)
