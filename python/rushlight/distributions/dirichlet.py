"""``torch.distributions.dirichlet``: the Dirichlet distribution."""

import rushlight as torch

from . import constraints
from .exp_family import ExponentialFamily


class _Dirichlet(torch.autograd.Function):
    """Probabilities, which change with a concentration as the one part grows at the cost of all others."""

    @staticmethod
    def forward(ctx, concentration):
        """The probabilities."""
        parts = torch._sample_dirichlet(concentration)
        ctx.save_for_backward(parts, concentration)
        return parts

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad):
        """The gradient of the concentrations."""
        parts, concentration = ctx.saved_tensors
        total = concentration.sum(-1, True).expand_as(concentration)
        slope = torch._dirichlet_grad(parts, concentration, total)
        return slope * (grad - (parts * grad).sum(-1, True))


class Dirichlet(ExponentialFamily):
    """Probabilities of several possibilities, by their concentrations in the last dimension."""

    arg_constraints = {"concentration": constraints.independent(constraints.positive, 1)}
    support = constraints.simplex
    has_rsample = True

    def __init__(self, concentration, validate_args=None):
        if concentration.dim() < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:], validate_args=validate_args)

    @property
    def mean(self):
        """The mean."""
        return self.concentration / self.concentration.sum(-1, True)

    @property
    def mode(self):
        """The likeliest probabilities."""
        less = (self.concentration - 1).clamp(min=0.0)
        mode = less / less.sum(-1, True)
        mask = (self.concentration < 1).all(dim=-1)
        mode[mask] = torch.nn.functional.one_hot(mode[mask].argmax(dim=-1), less.shape[-1]).to(mode)
        return mode

    @property
    def variance(self):
        """The variance."""
        con0 = self.concentration.sum(-1, True)
        return self.concentration * (con0 - self.concentration) / (con0.pow(2) * (con0 + 1))

    def rsample(self, sample_shape=torch.Size()):
        """Probabilities, differentiable by the concentrations."""
        return _Dirichlet.apply(self.concentration.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value):
        """The logarithm of the density."""
        self._check(value)
        a = self.concentration
        return torch.xlogy(a - 1.0, value).sum(-1) + torch.lgamma(a.sum(-1)) - torch.lgamma(a).sum(-1)

    def entropy(self):
        """The entropy."""
        k, a0 = self.concentration.size(-1), self.concentration.sum(-1)
        return (
            torch.lgamma(self.concentration).sum(-1) - torch.lgamma(a0) - (k - a0) * torch.digamma(a0)
            - ((self.concentration - 1.0) * torch.digamma(self.concentration)).sum(-1)
        )
